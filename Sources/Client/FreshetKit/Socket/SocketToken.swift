// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An access token for one connection, with its times on the session's own clock, and whose it is.
struct SocketToken: Equatable, Sendable {
    var token: AccessToken
    var askedAt: Duration
    var expiresAt: Duration
    /// The sign-in that it belongs to: what comes over the connection is for nobody else.
    var sessionID: String

    init(_ live: TimedAccessToken, of sessionID: String) {
        token = live.token
        askedAt = live.askedAt
        expiresAt = live.expiresAt
        self.sessionID = sessionID
    }

    /// At most this, and at most a fifth of the token's lifetime, so that short tokens are not refreshed all the time.
    func cappedLeadTime(_ lead: Duration) -> Duration { min(lead, max(expiresAt - askedAt, .zero) / 5) }

    /// Whether it ends within `life`, as far as a refresh could mend that.
    func expiresWithin(_ life: Duration, now: Duration) -> Bool { expiresAt - now <= cappedLeadTime(life) }
}
