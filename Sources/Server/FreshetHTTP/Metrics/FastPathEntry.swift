// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The way in which a request entered the fast path.
enum FastPathEntry: String, CaseIterable, Sendable {
    /// Parsed from the bytes of its connection.
    case direct
    /// Received as parts from NIO's decoder.
    case parts
}
