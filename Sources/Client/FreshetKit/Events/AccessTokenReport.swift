// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// How long an access token is valid, and how the session knows.
public struct AccessTokenReport: Sendable, Equatable {
    /// Where an expiry comes from.
    public enum Source: String, Sendable, CaseIterable {
        /// The token's own `exp` claim.
        case claim
        /// The answer that brought the token, such as its `expires_in`.
        case answer
        /// The contract: neither the token nor the answer has an expiry that can be read.
        case assumed
        /// The store: the token was read back.
        case stored
    }

    /// When the token expires, by this device's wall clock.
    public var expiresAt: Date
    /// How long it is valid from the event on; zero or less if it has expired.
    public var remainingLifetime: Duration
    /// Where the expiry comes from.
    public var source: Source
    /// When the next refresh ahead of expiry is due, from the event on; `nil` if the session cannot be refreshed.
    public var refreshIn: Duration?
}
