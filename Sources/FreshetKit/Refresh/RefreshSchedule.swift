// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// When a token is due, as a pure rule.
struct RefreshSchedule: Sendable {
    /// The most that a refresh may run ahead of the token's end.
    var leeway: Duration
    /// How young a token must be for a further refresh to be pointless, at most.
    var floor: Duration

    /// A shorter lifetime is taken for this one: whatever a server says, it is not asked at every call.
    static let shortestLifetime = Duration.seconds(1)

    /// The floor for a token with this lifetime.
    func floor(lifetime: Duration) -> Duration { min(floor, lifetime / 2) }

    /// When the refresh of a good token may begin.
    ///
    /// The server's hint counts, within what is good for the token. Without one, the chance, evenly spread between 0 and 1,
    /// keeps devices from coming all at once.
    func refreshTime(of token: LiveToken, chance: Double) -> Duration {
        let lifetime = token.expiresAt - token.askedAt
        let longest = min(leeway, lifetime / 5)
        let earliest = token.askedAt + floor(lifetime: lifetime)
        if let hint = token.refreshHint { return max(min(hint, token.expiresAt - longest * 0.25), earliest) }
        let lead = longest * (0.75 + 0.25 * min(max(chance, 0), 1))
        return max(token.expiresAt - lead, earliest)
    }

    /// Whether `token` was just brought by a refresh that a resource's refusal had caused: another one would not help.
    func isFreshAfterRejection(_ token: LiveToken, now: Duration) -> Bool {
        token.cause == .rejection && now - token.askedAt < floor(lifetime: token.expiresAt - token.askedAt)
    }
}
