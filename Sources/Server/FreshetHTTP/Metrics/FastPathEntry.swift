// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How a request entered the fast path.
enum FastPathEntry: String, CaseIterable, Sendable {
    /// Parsed from the bytes of its connection.
    case direct
    /// In the parts that NIO's decoder produced.
    case parts
}
