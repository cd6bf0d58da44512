// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

/// The tokens that a fake backend has issued, with their users and their validity.
///
/// It does not read a clock: `now` is the time of the backend's clock, in seconds since 1970.
struct IssuedTokens: Sendable {
    /// The reason that a refresh is refused.
    enum Refusal: Error, Equatable {
        /// The token does not have the format of this backend.
        case malformed
        /// This backend never issued the token.
        case unknown
        case expired
        /// The token was used and replaced by a new one.
        case used
        /// The session has ended, or the token was revoked.
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

    /// The number of sessions that have not ended.
    var liveSessions: Int { sessions.count { !$0.isOver } }

    /// Returns the name of a token for output: its kind and its number.
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

    /// Returns the user of an access token, if the token is valid.
    func user(of accessToken: String?, now: Double) -> BackendUser? {
        guard let accessToken, let entry = access[accessToken], !entry.isRevoked, now < entry.expiresAt else {
            return nil
        }
        let session = sessions[entry.session]
        return session.isOver ? nil : session.user
    }

    /// Returns the expiry of an access token, in seconds since 1970; `nil` for an unknown token.
    func expiry(of accessToken: String) -> Double? { access[accessToken]?.expiresAt }

    /// Ends the session of a refresh token, even if the token can no longer be refreshed.
    ///
    /// - Returns: Whether this backend issued the token.
    mutating func end(by refreshToken: String) -> Bool {
        guard let entry = refresh[refreshToken] else { return false }
        sessions[entry.session].isOver = true
        return true
    }

    /// Ends all sessions of a user, or of all users.
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
