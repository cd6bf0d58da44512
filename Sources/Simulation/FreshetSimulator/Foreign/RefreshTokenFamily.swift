// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The rules by which a backend accepts refresh tokens.
struct RefreshTokenRules: Equatable, Sendable {
    /// Whether a refresh issues a new refresh token; otherwise one token serves for the whole session.
    var rotates = false
    /// The time after its first use for which a token is accepted again.
    var reuseInterval = Duration.zero
    /// Whether the parent of the newest token is accepted without a limit, and answered with the newest token.
    var acceptsParent = false
    /// Whether a reuse that is not accepted revokes all tokens of the session; otherwise only the request is refused.
    var revokesOnReuse = false
    /// Whether a sign-out by a token that was refreshed before has no effect.
    var ignoresUsedTokensAtLogout = false
    /// The time after which a session that is not refreshed expires; `nil` for never.
    var idleLifetime: Duration?

    init(idleLifetime: Duration? = nil) { self.idleLifetime = idleLifetime }
}

/// The refresh tokens of one session, each with the token for which it was issued.
struct RefreshTokenFamily: Sendable {
    struct Token: Sendable {
        /// The number of the token that was refreshed; `nil` for the first one.
        var parent: Int?
        var issuedAt: Duration
        /// The time of its first refresh.
        var usedAt: Duration?
    }

    /// The reason that a refresh is refused.
    enum Refusal: Equatable, Sendable {
        /// The token was refreshed before.
        case reused
        case expired
        /// The session was ended by its user, an operator, or a sign-out.
        case revoked
    }

    enum Decision: Equatable, Sendable {
        /// The number of the refresh token of the response.
        case granted(Int)
        case refused(Refusal)
    }

    let account: String
    private(set) var tokens: [Token]
    /// The reason for which no token is accepted any longer.
    private(set) var end: Refusal?
    /// The time of the last refresh that was granted.
    private var lastRefresh: Duration

    init(account: String, at now: Duration) {
        self.account = account
        tokens = [Token(issuedAt: now)]
        lastRefresh = now
    }

    /// Evaluates a refresh.
    mutating func refresh(_ number: Int, at now: Duration, _ rules: RefreshTokenRules) -> Decision {
        if let end { return .refused(end) }
        if let lifetime = rules.idleLifetime, now - lastRefresh > lifetime {
            end = .expired
            return .refused(.expired)
        }
        let decision = decide(number, at: now, rules)
        if case .granted = decision { lastRefresh = now }
        return decision
    }

    private mutating func decide(_ number: Int, at now: Duration, _ rules: RefreshTokenRules) -> Decision {
        guard rules.rotates else {
            tokens[number].usedAt = now
            return .granted(number)
        }
        guard let usedAt = tokens[number].usedAt else {
            tokens[number].usedAt = now
            return issue(for: number, at: now)
        }
        if rules.acceptsParent, tokens.last?.parent == number { return .granted(tokens.count - 1) }
        // The end of the interval is excluded: an interval of zero accepts no reuse.
        if now - usedAt < rules.reuseInterval { return issue(for: number, at: now) }
        if rules.revokesOnReuse { end = .reused }
        return .refused(.reused)
    }

    private mutating func issue(for number: Int, at now: Duration) -> Decision {
        tokens.append(Token(parent: number, issuedAt: now))
        return .granted(tokens.count - 1)
    }

    /// Ends the session by its user, an operator, or a sign-out.
    mutating func revoke() { end = end ?? .revoked }

    /// Whether a token was refreshed, so that a newer one takes its place.
    func isUsed(_ number: Int) -> Bool { tokens[number].usedAt != nil }

    /// Whether a token was issued, directly or not, for another one.
    func isDescendant(_ number: Int, of ancestor: Int) -> Bool {
        var parent = tokens[number].parent
        while let current = parent {
            if current == ancestor { return true }
            parent = tokens[current].parent
        }
        return false
    }
}
