// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Which tokens a double has handed out, to whom, and which of them are still good.
///
/// It reads no clock: `now` is what the backend's clock shows, in seconds since 1970.
struct IssuedTokens: Sendable {
    /// Why a refresh is refused.
    enum Refusal: Error, Equatable {
        /// Nothing that this backend hands out looks like it.
        case malformed
        /// This backend never handed it out.
        case unknown
        case expired
        /// A refresh with it was granted, and brought a new one.
        case used
        /// The session is over, or the token was revoked.
        case revoked
    }

    private struct Session {
        var user: BackendUser
        var isOver = false
    }

    private struct Access {
        var name: String
        var session: Int
        var expiresAt: Double
        var isRevoked = false
    }

    private struct Refresh {
        var name: String
        var session: Int
        var expiresAt: Double
        var refusal: Refusal?
    }

    private var sessions: [Session] = []
    private var access: [String: Access] = [:]
    private var refresh: [String: Refresh] = [:]

    /// How many sessions are not over.
    var liveSessions: Int { sessions.count { !$0.isOver } }

    /// What a token is called that must not be shown: its sort and its number.
    func name(of token: some StringProtocol) -> String? {
        let token = String(token)
        return access[token]?.name ?? refresh[token]?.name
    }

    mutating func signIn(_ user: BackendUser, _ settings: BackendSettings, now: Double) -> BackendTokenResponse {
        sessions.append(Session(user: user))
        let session = sessions.count - 1
        var token: String?
        if settings.grantsRefreshToken && !settings.isLegacy {
            token = newRefreshToken(session, endingAt: now + settings.refreshLifetime.inSeconds)
        }
        return grant(session, token, isNamed: true, settings, now: now)
    }

    mutating func refresh(
        _ token: String,
        _ settings: BackendSettings,
        now: Double
    ) -> Result<BackendTokenResponse, Refusal> {
        guard token.hasPrefix(BackendTokenGenerator.refreshPrefix) else { return .failure(.malformed) }
        guard let entry = refresh[token] else { return .failure(.unknown) }
        if entry.refusal == .used {
            if settings.detectsReuse { sessions[entry.session].isOver = true }
            return .failure(.used)
        }
        if entry.refusal != nil || sessions[entry.session].isOver { return .failure(.revoked) }
        guard now < entry.expiresAt else { return .failure(.expired) }
        guard settings.rotates else {
            return .success(
                grant(entry.session, token, isNamed: settings.repeatsRefreshToken, settings, now: now)
            )
        }
        refresh[token]?.refusal = .used
        let end = settings.extendsRefreshLifetime ? now + settings.refreshLifetime.inSeconds : entry.expiresAt
        let next = newRefreshToken(entry.session, endingAt: end)
        return .success(grant(entry.session, next, isNamed: true, settings, now: now))
    }

    /// Whose access token it is, if it is still good.
    func user(of accessToken: String?, now: Double) -> BackendUser? {
        guard let accessToken, let entry = access[accessToken], !entry.isRevoked, now < entry.expiresAt else {
            return nil
        }
        let session = sessions[entry.session]
        return session.isOver ? nil : session.user
    }

    /// When an access token expires, in seconds since 1970; `nil` for one that was never handed out.
    func expiry(of accessToken: String) -> Double? { access[accessToken]?.expiresAt }

    /// Ends the session of a refresh token, whether or not the token is still good for a refresh.
    ///
    /// - Returns: Whether this backend ever handed it out.
    mutating func end(by refreshToken: String) -> Bool {
        guard let entry = refresh[refreshToken] else { return false }
        sessions[entry.session].isOver = true
        return true
    }

    /// Ends all sessions of a user, or of everybody.
    mutating func endSessions(of user: BackendUser? = nil) {
        for index in sessions.indices where user == nil || sessions[index].user.id == user?.id {
            sessions[index].isOver = true
        }
    }

    mutating func revokeAccessTokens() {
        for token in access.keys { access[token]?.isRevoked = true }
    }

    mutating func revokeRefreshTokens() {
        for token in refresh.keys where refresh[token]?.refusal == nil { refresh[token]?.refusal = .revoked }
    }

    private mutating func newRefreshToken(_ session: Int, endingAt end: Double) -> String {
        let token = BackendTokenGenerator.refresh()
        refresh[token] = Refresh(name: "refresh-\(refresh.count + 1)", session: session, expiresAt: end)
        return token
    }

    private mutating func grant(
        _ session: Int,
        _ refreshToken: String?,
        isNamed: Bool,
        _ settings: BackendSettings,
        now: Double
    ) -> BackendTokenResponse {
        let user = sessions[session].user
        let lifetime = Int(settings.accessLifetime.inSeconds)
        let issuedAt = Int(now.rounded(.down))
        let token =
            settings.grantsReadableTokens
            ? BackendTokenGenerator.access(for: user, issuedAt: issuedAt, expiresAt: issuedAt + lifetime)
            : BackendTokenGenerator.opaqueAccess()
        access[token] = Access(
            name: "access-\(access.count + 1)",
            session: session,
            expiresAt: Double(issuedAt + lifetime)
        )
        return BackendTokenResponse(
            userID: user.id,
            accessToken: token,
            refreshToken: refreshToken,
            lifetime: lifetime,
            namedRefreshToken: isNamed ? refreshToken : nil,
            user: user
        )
    }
}

extension Duration {
    /// The duration as a number, for arithmetic with dates.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
