// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension UTF8Buffer {
    /// Adds the ID in the text form of RFC 9562.
    package mutating func add(_ id: SessionID) { id.write(to: &bytes) }
}
