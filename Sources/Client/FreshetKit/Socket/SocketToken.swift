// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An access token for a connection, with its owner and its times on the session's clock.
struct SocketToken: Equatable, Sendable {
    var token: AccessToken
    var askedAt: Duration
    var expiresAt: Duration
    /// The ID of its session: the connection's messages must not be delivered to another user.
    var sessionID: String

    init(_ live: TimedAccessToken, of sessionID: String) {
        token = live.token
        askedAt = live.askedAt
        expiresAt = live.expiresAt
        self.sessionID = sessionID
    }

    /// Returns the lead time, capped at a fifth of the token's lifetime to limit refreshes of short-lived tokens.
    func cappedLeadTime(_ lead: Duration) -> Duration { min(lead, max(expiresAt - askedAt, .zero) / 5) }

    /// Whether the token expires within `life`, capped as ``cappedLeadTime(_:)`` does: a refresh would not help beyond
    /// that.
    func expiresWithin(_ life: Duration, now: Duration) -> Bool { expiresAt - now <= cappedLeadTime(life) }
}
