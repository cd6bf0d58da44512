// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// melchat: camel case, a code by e-mail, `success` in every answer.
///
/// The older backend knows no refresh and no sign-out: those paths are not there.
struct MelChatRoutes: AppRoutes {
    let loginPath = "/api/auth/verify"
    let codePath: String? = "/api/auth/login"
    let refreshPath = "/api/auth/refresh"
    let logoutPaths: Set = ["/api/auth/logout", "/api/auth/logout-all"]

    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch (request.method, request.path) {
        case ("POST", codePath):
            guard let email = request.text("email") else { return failure(400, "Email is required") }
            state.addressesWithCode.insert(email.lowercased())
            return .json(200, ["success": true, "message": "Verification code sent"])
        case ("POST", loginPath): return verify(request, &state)
        case ("GET", "/api/me"):
            return signedIn(request, &state) { user, _ in .json(200, ["success": true, "user": describe(user)]) }
        case (_, refreshPath) where state.settings.isLegacy,
            (_, "/api/auth/logout") where state.settings.isLegacy,
            (_, "/api/auth/logout-all") where state.settings.isLegacy:
            return failure(404, "Not found")
        case ("POST", refreshPath): return refresh(request, &state)
        case ("POST", "/api/auth/logout"):
            guard let token = refreshToken(in: request, state, field: "refreshToken") else {
                return failure(400, "Refresh token is required")
            }
            guard state.ledger.end(by: token, now: state.clock) else { return failure(401, "Invalid refresh token") }
            return .json(200, ["success": true, "message": "Logged out successfully"])
        case ("POST", "/api/auth/logout-all"):
            return signedIn(request, &state) { user, state in
                state.ledger.endSessions(of: user)
                return .json(200, ["success": true, "message": "Logged out from all devices"])
            }
        default: return otherwise(request, &state)
        }
    }

    func failure(_ status: Int, _ message: String) -> BackendResponse {
        .json(status, ["success": false, "message": message])
    }

    private func verify(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        guard let email = request.text("email"), let code = request.text("code") else {
            return failure(400, "Email and code are required")
        }
        guard code == AppBackend.emailCode, state.addressesWithCode.remove(email.lowercased()) != nil else {
            return failure(401, "Invalid or expired code")
        }
        let user = BackendUser(email: email)
        let isNew = state.knownUsers.insert(user.id).inserted
        let grant = state.ledger.signIn(user, state.settings, now: state.clock)
        if state.settings.isLegacy { return .json(200, ["success": true, "token": grant.accessToken]) }
        var fields = tokens(grant, state.settings)
        fields["user"] = describe(user).merging(["isNewUser": isNew]) { $1 }
        return .json(200, fields)
    }

    private func refresh(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        guard let token = refreshToken(in: request, state, field: "refreshToken") else {
            return failure(400, "Refresh token is required")
        }
        return switch state.ledger.refresh(token, state.settings, now: state.clock) {
        case .success(let grant): .json(200, tokens(grant, state.settings))
        case .failure: failure(state.settings.refusalStatus, "Invalid or expired refresh token")
        }
    }

    private func tokens(_ grant: BackendGrant, _ settings: BackendSettings) -> [String: Any] {
        var fields: [String: Any] = ["success": true, "accessToken": grant.accessToken]
        fields["refreshToken"] = grant.namedRefreshToken
        if settings.statesExpiry { fields["expiresIn"] = grant.lifetime }
        return fields
    }

    private func describe(_ user: BackendUser) -> [String: Any] {
        ["id": user.id, "username": user.email?.prefix { $0 != "@" }.description ?? user.id]
    }
}
