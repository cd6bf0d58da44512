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

extension AccessToken {
    /// Whether the token has expired, by the device's wall clock.
    ///
    /// A wall clock that was set wrong is no measure; ``AuthSession/isAccessTokenExpired`` counts on a clock that is not set.
    ///
    /// - Parameter date: The time to compare with.
    /// - Returns: `true` from the moment of expiry on.
    public func isExpired(at date: Date = Date()) -> Bool { expiresAt <= date }

    /// Whether the token expires within a time from now, or has expired, by the device's wall clock.
    ///
    /// - Parameters:
    ///   - time: How far to look ahead.
    ///   - date: The time to compare with.
    /// - Returns: `true` if no more than that time is left.
    public func isExpiring(within time: Duration, at date: Date = Date()) -> Bool {
        expiresAt.timeIntervalSince(date) <= time.inSeconds
    }

    /// The claims of a token that is a JWT, read without verifying its signature; `nil` for any other token.
    public var unverifiedClaims: UnverifiedJWT? { UnverifiedJWT(value) }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask.
    public var description: String { "AccessToken(•••)" }
    /// A mask.
    public var debugDescription: String { description }
    /// Shows nothing.
    public var customMirror: Mirror { .concealing(self) }
}
