// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// An access token that was valid when the session returned it.
///
/// Its description is redacted.
public struct AccessToken: Sendable, Hashable {
    /// The token itself, for an `Authorization` header that the app writes.
    ///
    /// Must not be logged.
    public let value: String
    /// The expiry, by this device's wall clock.
    public let expiresAt: Date
    /// The ID of the session it was issued for; a request is never replayed with another session's token.
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
    /// The result is wrong if the wall clock is wrong; ``AuthSession/isAccessTokenExpired`` uses a monotonic clock.
    ///
    /// - Parameter date: The time to compare with.
    /// - Returns: `true` at and after the expiry.
    public func isExpired(at date: Date = Date()) -> Bool { expiresAt <= date }

    /// Whether the token expires within `time`, or has expired, by the device's wall clock.
    ///
    /// - Parameters:
    ///   - time: The time to look ahead.
    ///   - date: The time to compare with.
    /// - Returns: `true` if at most `time` is left.
    public func isExpiring(within time: Duration, at date: Date = Date()) -> Bool {
        expiresAt.timeIntervalSince(date) <= time.inSeconds
    }

    /// The unverified claims of a token that is a JWT; `nil` for any other token.
    public var unverifiedClaims: UnverifiedJWT? { UnverifiedJWT(value) }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A redacted description.
    public var description: String { "AccessToken(•••)" }
    /// A redacted description.
    public var debugDescription: String { description }
    /// An empty mirror: `dump` shows no contents.
    public var customMirror: Mirror { .concealing(self) }
}
