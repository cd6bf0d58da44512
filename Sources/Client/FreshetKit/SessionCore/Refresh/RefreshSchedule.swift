// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The rules that determine when a token is due, as pure functions.
package struct RefreshSchedule: Equatable, Sendable {
    /// The time before its expiry at which a token is refreshed, at most half of its lifetime.
    ///
    /// `nil` for a fifth of the lifetime.
    package var refreshBefore: Duration?
    /// The age below which a token is not refreshed again; capped at half of the token's lifetime.
    package var minimumInterval: Duration

    package init(refreshBefore: Duration?, minimumInterval: Duration) {
        self.refreshBefore = refreshBefore?.bounded
        self.minimumInterval = minimumInterval.bounded
    }

    /// Creates the schedule of a contract's sessions; the app's policy overrides the contract.
    package init(_ contract: Contract, _ policy: RefreshPolicy = RefreshPolicy()) {
        self.init(
            refreshBefore: policy.refreshBefore ?? contract.refreshBefore,
            minimumInterval: policy.minimumInterval ?? contract.minimumInterval
        )
    }

    /// Returns the minimum age at which a token with this lifetime is refreshed again.
    package func minimumInterval(lifetime: Duration) -> Duration { min(minimumInterval, lifetime / 2) }

    /// Returns the time before its expiry at which a token with this lifetime is refreshed at the earliest.
    package func refreshBefore(lifetime: Duration) -> Duration {
        refreshBefore.map { min($0, lifetime / 2) } ?? lifetime / 5
    }

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
        let longest = refreshBefore(lifetime: lifetime)
        let earliest = askedAt + minimumInterval(lifetime: lifetime)
        if let hint { return max(min(hint, expiresAt - longest * 0.25), earliest) }
        let lead = longest * (0.75 + 0.25 * min(max(chance, 0), 1))
        return max(expiresAt - lead, earliest)
    }

    /// Whether a refresh after a resource's refusal has just returned `token`: another refresh would not help.
    func isFreshAfterRejection(_ token: TimedAccessToken, now: Duration) -> Bool {
        token.cause == .rejection && now - token.askedAt < minimumInterval(lifetime: token.expiresAt - token.askedAt)
    }
}
