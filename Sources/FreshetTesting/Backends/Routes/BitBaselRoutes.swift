// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// bitbasel: snake case, Sign in with Apple, errors in `detail`.
///
/// The seven days of a refresh token begin at the sign-in, whatever happens later.
struct BitBaselRoutes: AppRoutes {
    let loginPath = "/auth/apple"
    let refreshPath = "/auth/refresh"
    let socketPath: String? = "/ws/feed"

    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch (request.method, request.path) {
        case ("POST", loginPath):
            guard let token = request.text("identity_token") else { return missing("identity_token") }
            let user = BackendUser(identityToken: token)
            return body(of: state.ledger.signIn(user, state.settings, now: state.clock))
        case ("POST", refreshPath):
            guard let token = refreshToken(in: request, state, field: "refresh_token") else {
                return missing("refresh_token")
            }
            return switch state.ledger.refresh(token, state.settings, now: state.clock) {
            case .success(let grant): body(of: grant)
            case .failure(.malformed): failure(state.settings.refusalStatus, "Invalid token format")
            case .failure: failure(state.settings.refusalStatus, "Invalid or expired refresh token")
            }
        case ("GET", "/posts/feed"):
            return signedIn(request, &state) { user, _ in .json(200, ["user_id": user.number, "posts": [String]()]) }
        case ("GET", socketPath):
            return handshake(request, state)
        default:
            return otherwise(request, &state)
        }
    }

    func failure(_ status: Int, _ message: String) -> BackendResponse { .json(status, ["detail": message]) }

    /// Here, and only here, 403 says that the access token has expired.
    private func handshake(_ request: BackendRequest, _ state: BackendState) -> BackendResponse {
        let token = request.query.first { $0.name == "token" }?.value
        guard state.ledger.user(of: token, now: state.clock) != nil else {
            return failure(403, "Invalid or expired access token")
        }
        guard request.headers["Upgrade"]?.lowercased() == "websocket" else {
            var answer = failure(426, "This is a WebSocket")
            answer.headers["Upgrade"] = "websocket"
            return answer
        }
        return BackendResponse(101, headers: ["Upgrade": "websocket", "Connection": "Upgrade"])
    }

    /// A field that is not there, as FastAPI says it.
    private func missing(_ field: String) -> BackendResponse {
        let fault: [String: Any] = ["loc": ["body", field], "msg": "Field required", "type": "missing"]
        return .json(422, ["detail": [fault]])
    }

    private func body(of grant: BackendGrant) -> BackendResponse {
        var fields: [String: Any] = [
            "access_token": grant.accessToken,
            "token_type": "bearer",
            "user_id": grant.user.number,
            "email": grant.user.email ?? NSNull(),
            "has_profile": true,
        ]
        fields["refresh_token"] = grant.namedRefreshToken
        return .json(200, fields)
    }
}
