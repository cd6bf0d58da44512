// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// When a token is due, as a pure rule.
package struct RefreshSchedule: Equatable, Sendable {
    /// The earliest point before a token's expiry at which it is refreshed, at most half of its lifetime.
    ///
    /// `nil` for a fifth of the lifetime.
    package var leeway: Duration?
    /// How young a token must be for a further refresh to be pointless, at most.
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

    /// The floor for a token with this lifetime.
    package func floor(lifetime: Duration) -> Duration { min(floor, lifetime / 2) }

    /// The earliest point before its expiry at which a token with this lifetime is refreshed.
    package func lead(lifetime: Duration) -> Duration { leeway.map { min($0, lifetime / 2) } ?? lifetime / 5 }

    /// When the refresh of a good token may begin.
    func refreshTime(of token: TimedAccessToken, chance: Double) -> Duration {
        refreshTime(askedAt: token.askedAt, expiresAt: token.expiresAt, hint: token.refreshHint, chance: chance)
    }

    /// When the refresh of a good token with these times may begin.
    ///
    /// The server's hint counts, within what is good for the token. Without one, the chance, evenly spread between 0 and 1,
    /// keeps devices from coming all at once.
    package func refreshTime(askedAt: Duration, expiresAt: Duration, hint: Duration?, chance: Double) -> Duration {
        let lifetime = expiresAt - askedAt
        let longest = lead(lifetime: lifetime)
        let earliest = askedAt + floor(lifetime: lifetime)
        if let hint { return max(min(hint, expiresAt - longest * 0.25), earliest) }
        let lead = longest * (0.75 + 0.25 * min(max(chance, 0), 1))
        return max(expiresAt - lead, earliest)
    }

    /// Whether `token` was just brought by a refresh that a resource's refusal had caused: another one would not help.
    func isFreshAfterRejection(_ token: TimedAccessToken, now: Duration) -> Bool {
        token.cause == .rejection && now - token.askedAt < floor(lifetime: token.expiresAt - token.askedAt)
    }
}
