// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// outbox: an envelope, a new refresh token each time, and writes that are recorded with their user.
struct OutboxRoutes: AppRoutes {
    let loginPath = "/api/v1/auth/login"
    let refreshPath = "/api/v1/auth/refresh"

    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch (request.method, request.path) {
        case ("POST", loginPath):
            guard let grant = passwordLogin(request, &state) else { return failure(401, "Invalid credentials") }
            return envelope(grant, state.settings)
        case ("POST", refreshPath):
            guard let token = refreshToken(in: request, state, field: "refresh_token") else {
                return failure(400, "Refresh token missing")
            }
            return switch state.ledger.refresh(token, state.settings, now: state.clock) {
            case .success(let grant): envelope(grant, state.settings)
            case .failure(.used), .failure(.revoked): failure(state.settings.refusalStatus, "Refresh token revoked")
            case .failure(.expired): failure(state.settings.refusalStatus, "Refresh token expired")
            case .failure(.unknown), .failure(.malformed):
                failure(state.settings.refusalStatus, "Refresh token invalid")
            }
        case ("POST", "/api/v1/messages"):
            return signedIn(request, &state) { user, state in
                state.messages.append(
                    BackendMessage(userID: user.id, body: request.body, headers: request.headers)
                )
                return .json(201, ["data": ["id": state.messages.count]])
            }
        default:
            return otherwise(request, &state)
        }
    }

    func failure(_ status: Int, _ message: String) -> BackendResponse {
        .json(status, ["error": ["message": message]])
    }

    private func envelope(_ grant: BackendGrant, _ settings: BackendSettings) -> BackendResponse {
        let names = settings.casing == .snake ? ("access_token", "refresh_token") : ("accessToken", "refreshToken")
        return .json(
            200,
            ["data": [names.0: grant.accessToken, names.1: grant.namedRefreshToken].compactMapValues { $0 }]
        )
    }
}
