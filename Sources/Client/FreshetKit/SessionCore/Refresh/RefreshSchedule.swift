// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The rules that determine when a token is due, as pure functions.
package struct RefreshSchedule: Equatable, Sendable {
    /// The earliest point before a token's expiry at which it is refreshed, at most half of its lifetime.
    ///
    /// `nil` for a fifth of the lifetime.
    package var leeway: Duration?
    /// The age below which a token is not refreshed again; capped at half of the token's lifetime.
    package var floor: Duration

    package init(leeway: Duration?, floor: Duration) {
        self.leeway = leeway?.bounded
        self.floor = floor.bounded
    }

    /// Creates the schedule of a contract's sessions; the app's configuration overrides the contract.
    package init(_ contract: Contract, _ configuration: SessionConfiguration = SessionConfiguration()) {
        self.init(
            leeway: configuration.leeway ?? contract.leeway,
            floor: configuration.minimumRefreshInterval ?? contract.minimumRefreshInterval
        )
    }

    /// Returns the minimum age at which a token with this lifetime is refreshed again.
    package func floor(lifetime: Duration) -> Duration { min(floor, lifetime / 2) }

    /// Returns the earliest point before its expiry at which a token with this lifetime is refreshed.
    package func lead(lifetime: Duration) -> Duration { leeway.map { min($0, lifetime / 2) } ?? lifetime / 5 }

    /// Returns the time from which a valid token may be refreshed.
    func refreshTime(of token: TimedAccessToken, chance: Double) -> Duration {
        refreshTime(askedAt: token.askedAt, expiresAt: token.expiresAt, hint: token.refreshHint, chance: chance)
    }

    /// Returns the time from which a valid token with these times may be refreshed.
    ///
    /// The server's hint is used within the token's limits. Without a hint, `chance`, uniformly distributed between 0
    /// and 1, spreads the refreshes of many devices.
    package func refreshTime(askedAt: Duration, expiresAt: Duration, hint: Duration?, chance: Double) -> Duration {
        let lifetime = expiresAt - askedAt
        let longest = lead(lifetime: lifetime)
        let earliest = askedAt + floor(lifetime: lifetime)
        if let hint { return max(min(hint, expiresAt - longest * 0.25), earliest) }
        let lead = longest * (0.75 + 0.25 * min(max(chance, 0), 1))
        return max(expiresAt - lead, earliest)
    }

    /// Whether a refresh after a resource's refusal has just returned `token`: another refresh would not help.
    func isFreshAfterRejection(_ token: TimedAccessToken, now: Duration) -> Bool {
        token.cause == .rejection && now - token.askedAt < floor(lifetime: token.expiresAt - token.askedAt)
    }
}
