// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetTesting

/// The backend of melchat: camel case, a code by e-mail, `success` in every response.
///
/// The legacy backend has no refresh and no sign-out; those paths answer 404.
struct MelChatRoutes: AppRoutes {
    let loginPath = "/api/auth/verify"
    let codePath: String? = "/api/auth/login"
    let refreshPath = "/api/auth/refresh"
    let logoutPaths: Set = ["/api/auth/logout", "/api/auth/logout-all"]

    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch (request.method, request.path) {
        case ("POST", codePath):
            guard let email = request.text("email") else { return failure(.invalidRequest, "Email is required") }
            state.addressesWithCode.insert(email.lowercased())
            return .json(200, ["success": true, "message": "Verification code sent"])
        case ("POST", loginPath): return verify(request, &state)
        case ("GET", "/api/me"):
            return signedIn(request, &state) { user, state in
                .json(200, ["success": true, "user": describe(user, state)])
            }
        case ("PUT", "/api/me"):
            return signedIn(request, &state) { user, state in
                guard let name = request.text("username") else {
                    return failure(.invalidRequest, "Username is required")
                }
                state.profiles[user.id] = name
                return .json(200, ["success": true, "user": describe(user, state)])
            }
        case ("GET", "/api/messages"):
            return signedIn(request, &state) { _, _ in .json(200, ["success": true, "messages": []]) }
        case (_, refreshPath) where state.settings.isLegacy,
            (_, "/api/auth/logout") where state.settings.isLegacy,
            (_, "/api/auth/logout-all") where state.settings.isLegacy:
            return failure(.notFound, "Not found")
        case ("POST", refreshPath): return refresh(request, &state)
        case ("POST", "/api/auth/logout"):
            return logout(request, &state, field: "refreshToken") ?? loggedOut
        case ("POST", "/api/auth/logout-all"):
            return signedIn(request, &state) { user, state in
                state.ledger.endSessions(of: user)
                return loggedOut
            }
        default: return otherwise(request, &state)
        }
    }

    func body(of refusal: BackendRefusal, _ message: String) -> BackendJSON {
        ["success": false, "error": .string(refusal.code), "message": .string(message)]
    }

    private var loggedOut: BackendResponse {
        .json(200, ["success": true, "message": "Logged out successfully"])
    }

    private func verify(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        guard let email = request.text("email"), let code = request.text("code") else {
            return failure(.invalidRequest, "Email and code are required")
        }
        guard code == BackendCredentials.emailCode, state.addressesWithCode.remove(email.lowercased()) != nil else {
            return failure(.invalidCredentials, "Invalid or expired code")
        }
        let user = BackendUser(email: email)
        let isNew = state.knownUsers.insert(user.id).inserted
        let grant = state.ledger.signIn(user, state.settings, now: state.clock)
        if state.settings.isLegacy { return .json(200, ["success": true, "token": .string(grant.accessToken)]) }
        let described = describe(user, state).adding(["isNewUser": .bool(isNew)])
        return .json(200, tokens(grant, state.settings).adding(["user": described]))
    }

    private func refresh(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        guard let token = refreshToken(in: request, state, field: "refreshToken") else {
            return failure(.invalidRequest, "Refresh token is required")
        }
        return switch state.ledger.refresh(token, state.settings, now: state.clock) {
        case .success(let grant): .json(200, tokens(grant, state.settings))
        case .failure:
            failure(.sessionEnded, "Invalid or expired refresh token", status: state.settings.refusalStatus)
        }
    }

    private func tokens(_ grant: BackendTokenResponse, _ settings: BackendSettings) -> BackendJSON {
        .members([
            "success": true,
            "accessToken": .string(grant.accessToken),
            "refreshToken": grant.namedRefreshToken.map { .string($0) },
            "expiresIn": settings.statesExpiry ? .number(grant.lifetime) : nil,
        ])
    }

    /// Returns the user as JSON, named by the profile or else by the local part of the e-mail address.
    private func describe(_ user: BackendUser, _ state: BackendState) -> BackendJSON {
        let local = user.email?.prefix { $0 != "@" }.description
        return ["id": .string(user.id), "username": .string(state.profiles[user.id] ?? local ?? user.id)]
    }
}
