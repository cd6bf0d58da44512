// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// creatist: snake case, a stated lifetime, and a new refresh token where it rotates.
struct CreatistRoutes: AppRoutes {
    let loginPath = "/auth/login"
    let refreshPath = "/auth/refresh"

    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch (request.method, request.path) {
        case ("POST", loginPath):
            guard let grant = passwordLogin(request, &state) else { return failure(401, "Invalid credentials") }
            return body(of: grant, state.settings)
        case ("POST", refreshPath):
            guard let token = refreshToken(in: request, state, field: "refresh_token") else {
                return failure(400, "Missing refresh token")
            }
            return switch state.ledger.refresh(token, state.settings, now: state.clock) {
            case .success(let grant): body(of: grant, state.settings)
            case .failure: failure(state.settings.refusalStatus, "Refresh token is invalid or expired")
            }
        case ("GET", "/items"):
            return signedIn(request, &state) { user, _ in .json(200, ["owner": user.id, "items": [String]()]) }
        default:
            return otherwise(request, &state)
        }
    }

    func failure(_ status: Int, _ message: String) -> BackendResponse { .json(status, ["message": message]) }

    private func body(of grant: BackendGrant, _ settings: BackendSettings) -> BackendResponse {
        var fields: [String: Any] = ["access_token": grant.accessToken]
        fields["refresh_token"] = grant.namedRefreshToken
        if settings.statesExpiry { fields["expires_in"] = grant.lifetime }
        return .json(200, fields)
    }
}
