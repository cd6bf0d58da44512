// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetTesting

/// The backend of authservice: a minimal token pair, and a refresh without a body.
struct AuthServiceRoutes: AppRoutes {
    let loginPath = "/auth/login"
    let refreshPath = "/auth/refresh"
    let logoutPaths: Set = ["/auth/logout"]

    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch (request.method, request.path) {
        case ("POST", loginPath):
            return switch passwordLogin(request, &state) {
            case .success(let grant): pair(grant)
            case .failure(let reason): failure(reason.refusal, reason.message)
            }
        case ("POST", refreshPath):
            guard let token = refreshToken(in: request, state, field: "refresh") else {
                return failure(.invalidRequest, "The refresh token is expected as bearer token, and no body")
            }
            return switch state.ledger.refresh(token, state.settings, now: state.clock) {
            case .success(let grant): pair(grant)
            case .failure: failure(.sessionEnded, "Invalid refresh token", status: state.settings.refusalStatus)
            }
        case ("POST", "/auth/logout"):
            return logout(request, &state, field: "refresh") ?? BackendResponse(204)
        case ("GET", "/dashboard"):
            return signedIn(request, &state) { user, state in
                .json(200, .members(["email": user.email.map { .string($0) }, "now": .number(Int(state.clock))]))
            }
        default:
            return otherwise(request, &state)
        }
    }

    func body(of refusal: BackendRefusal, _ message: String) -> BackendJSON {
        ["error": .string(refusal.code), "message": .string(message)]
    }

    private func pair(_ grant: BackendTokenResponse) -> BackendResponse {
        .json(
            200,
            .members(["access": .string(grant.accessToken), "refresh": grant.namedRefreshToken.map { .string($0) }])
        )
    }
}
