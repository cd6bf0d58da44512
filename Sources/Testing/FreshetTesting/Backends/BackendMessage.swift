// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// A write that arrived at the outbox app's backend, and for whom it was accepted.
public struct BackendMessage: Sendable, Equatable {
    /// Whose access token came with it.
    public var userID: String
    /// What was written.
    public var body: Data
    /// The header fields that it came with.
    public var headers: BackendHeaders
}
