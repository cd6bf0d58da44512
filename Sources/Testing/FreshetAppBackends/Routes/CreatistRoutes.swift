// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetTesting

/// The backend of creatist: snake case, a stated lifetime, and a new refresh token if it rotates.
struct CreatistRoutes: AppRoutes {
    let loginPath = "/auth/login"
    let refreshPath = "/auth/refresh"
    let logoutPaths: Set = ["/auth/logout"]

    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch (request.method, request.path) {
        case ("POST", loginPath):
            return switch passwordLogin(request, &state) {
            case .success(let grant): tokens(grant, state.settings)
            case .failure(let reason): failure(reason.refusal, reason.message)
            }
        case ("POST", refreshPath):
            guard let token = refreshToken(in: request, state, field: "refresh_token") else {
                return failure(.invalidRequest, "Missing refresh token")
            }
            return switch state.ledger.refresh(token, state.settings, now: state.clock) {
            case .success(let grant): tokens(grant, state.settings)
            case .failure:
                failure(.sessionEnded, "Refresh token is invalid or expired", status: state.settings.refusalStatus)
            }
        case ("POST", "/auth/logout"):
            return logout(request, &state, field: "refresh_token") ?? BackendResponse(204)
        case ("GET", "/items"):
            return signedIn(request, &state) { user, _ in .json(200, ["owner": .string(user.id), "items": []]) }
        case ("GET", "/profile"):
            return signedIn(request, &state) { user, _ in
                .json(200, .members(["id": .string(user.id), "email": user.email.map { .string($0) }]))
            }
        default:
            return otherwise(request, &state)
        }
    }

    func body(of refusal: BackendRefusal, _ message: String) -> BackendJSON {
        ["error": .string(refusal.code), "message": .string(message)]
    }

    private func tokens(_ grant: BackendTokenResponse, _ settings: BackendSettings) -> BackendResponse {
        .json(
            200,
            .members([
                "access_token": .string(grant.accessToken),
                "refresh_token": grant.namedRefreshToken.map { .string($0) },
                "expires_in": settings.statesExpiry ? .number(grant.lifetime) : nil,
            ])
        )
    }
}
