// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetTesting

/// The backend of outbox: an envelope, rotation at every refresh, and writes recorded with their user.
struct OutboxRoutes: AppRoutes {
    let loginPath = "/api/v1/auth/login"
    let refreshPath = "/api/v1/auth/refresh"
    let logoutPaths: Set = ["/api/v1/auth/logout"]

    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch (request.method, request.path) {
        case ("POST", loginPath):
            return switch passwordLogin(request, &state) {
            case .success(let grant): envelope(grant, state.settings)
            case .failure(let reason): failure(reason.refusal, reason.message)
            }
        case ("POST", refreshPath):
            guard let token = refreshToken(in: request, state, field: "refresh_token") else {
                return failure(.invalidRequest, "Refresh token missing")
            }
            let refusal: IssuedTokens.Refusal
            switch state.ledger.refresh(token, state.settings, now: state.clock) {
            case .success(let grant): return envelope(grant, state.settings)
            case .failure(let reason): refusal = reason
            }
            return failure(.sessionEnded, Self.message(for: refusal), status: state.settings.refusalStatus)
        case ("POST", "/api/v1/auth/logout"):
            return logout(request, &state, field: "refresh_token") ?? BackendResponse(204)
        case ("POST", "/api/v1/messages"), ("POST", "/api/v1/items"):
            return signedIn(request, &state) { user, state in
                state.messages.append(
                    BackendMessage(userID: user.id, body: request.body, headers: request.headers)
                )
                return .json(201, ["data": ["now": .number(Int(state.clock))]])
            }
        case ("GET", "/api/v1/items"):
            return signedIn(request, &state) { _, _ in .json(200, ["data": []]) }
        default:
            return otherwise(request, &state)
        }
    }

    func body(of refusal: BackendRefusal, _ message: String) -> BackendJSON {
        ["error": .string(refusal == .sessionEnded ? "token_revoked" : refusal.code), "message": .string(message)]
    }

    private static func message(for refusal: IssuedTokens.Refusal) -> String {
        switch refusal {
        case .used, .revoked: "Refresh token revoked"
        case .expired: "Refresh token expired"
        case .unknown, .malformed: "Refresh token invalid"
        }
    }

    private func envelope(_ grant: BackendTokenResponse, _ settings: BackendSettings) -> BackendResponse {
        let access = BackendJSON.string(grant.accessToken), refresh = grant.namedRefreshToken.map(BackendJSON.string)
        let snake: KeyValuePairs<String, BackendJSON?> = ["access_token": access, "refresh_token": refresh]
        let camel: KeyValuePairs<String, BackendJSON?> = ["accessToken": access, "refreshToken": refresh]
        return .json(200, ["data": settings.casing.members(snake: snake, camel: camel)])
    }
}
