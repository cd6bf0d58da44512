// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// The lifetime of an access token, and its source.
public struct AccessTokenReport: Sendable, Equatable {
    /// The source of an expiry.
    public enum Source: String, Sendable, CaseIterable {
        /// The token's own `exp` claim.
        case claim
        /// The response with the token, such as its `expires_in`.
        case answer
        /// The contract: neither the token nor the response has a readable expiry.
        case assumed
        /// The store that the token was read from.
        case stored
        /// The expiry is unknown, or the device's clock was set back: the token counts as expired.
        case unknown
    }

    /// The expiry of the token, by this device's wall clock; the time of the event if it is unknown.
    public var expiresAt: Date
    /// The remaining lifetime at the time of the event; zero or less if the token has expired.
    public var remainingLifetime: Duration
    /// The source of the expiry.
    public var source: Source
    /// The time from the event to the next refresh; `nil` if the session cannot be refreshed.
    public var refreshIn: Duration?
}
