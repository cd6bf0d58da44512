// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// authservice: a minimal pair, and a refresh without a body.
struct AuthServiceRoutes: AppRoutes {
    let loginPath = "/auth/login"
    let refreshPath = "/auth/refresh"

    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch (request.method, request.path) {
        case ("POST", loginPath):
            guard let grant = passwordLogin(request, &state) else { return failure(401, "Wrong e-mail or password") }
            return pair(grant)
        case ("POST", refreshPath):
            guard let token = refreshToken(in: request, state, field: "refresh") else {
                return failure(400, "The refresh token is expected as bearer token, and no body")
            }
            return switch state.ledger.refresh(token, state.settings, now: state.clock) {
            case .success(let grant): pair(grant)
            case .failure: failure(state.settings.refusalStatus, "Invalid refresh token")
            }
        case ("GET", "/dashboard"):
            return signedIn(request, &state) { user, _ in .json(200, ["user": user.id, "widgets": [String]()]) }
        default:
            return otherwise(request, &state)
        }
    }

    func failure(_ status: Int, _ message: String) -> BackendResponse { .json(status, ["error": message]) }

    private func pair(_ grant: BackendGrant) -> BackendResponse {
        .json(200, ["access": grant.accessToken, "refresh": grant.namedRefreshToken].compactMapValues { $0 })
    }
}
