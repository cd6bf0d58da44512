// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// An access token that was valid when it was handed out.
///
/// It prints a mask, never itself.
public struct AccessToken: Sendable, Hashable {
    /// The secret text, for an `Authorization` header of your own.
    ///
    /// Never log it.
    public let value: String
    /// When it ends, by this device's wall clock.
    public let expiresAt: Date
    /// The session that it was issued for: a request that began with it is never replayed with another session's token.
    package let sessionID: String

    init(value: String, expiresAt: Date, sessionID: String) {
        self.value = value
        self.expiresAt = expiresAt
        self.sessionID = sessionID
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask.
    public var description: String { "AccessToken(•••)" }
    /// A mask.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { .concealing(self) }
}
