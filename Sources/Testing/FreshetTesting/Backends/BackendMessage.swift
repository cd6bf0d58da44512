// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// A write that the outbox app's backend accepted, with its user.
public struct BackendMessage: Sendable, Equatable {
    /// The user whose access token the request carried.
    public var userID: String
    /// The body of the request.
    public var body: Data
    /// The header fields of the request.
    public var headers: BackendHeaders
}
