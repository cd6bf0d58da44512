// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetTesting

/// The backend of bitbasel: snake case, Sign in with Apple, errors in `detail`.
///
/// The seven days of a refresh token start at the sign-in; refreshes do not extend them.
struct BitBaselRoutes: AppRoutes {
    let loginPath = "/auth/apple"
    let refreshPath = "/auth/refresh"
    let logoutPaths: Set = ["/auth/logout"]
    let socketPath: String? = "/ws/feed"
    /// The status that FastAPI uses.
    let invalidRequestStatus = 422

    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch (request.method, request.path) {
        case ("POST", loginPath):
            guard let token = request.text("identity_token") else { return missing("identity_token") }
            let user = BackendUser(identityToken: token)
            return tokens(state.ledger.signIn(user, state.settings, now: state.clock), state)
        case ("POST", refreshPath):
            guard let token = refreshToken(in: request, state, field: "refresh_token") else {
                return missing("refresh_token")
            }
            let status = state.settings.refusalStatus
            return switch state.ledger.refresh(token, state.settings, now: state.clock) {
            case .success(let grant): tokens(grant, state)
            case .failure(.malformed): failure(.sessionEnded, "Invalid token format", status: status)
            case .failure: failure(.sessionEnded, "Invalid or expired refresh token", status: status)
            }
        case ("POST", "/auth/logout"):
            return logout(request, &state, field: "refresh_token") ?? BackendResponse(204)
        case ("GET", "/posts/feed"):
            return signedIn(request, &state) { user, _ in
                .json(200, ["user_id": .number(user.number), "posts": []])
            }
        case ("PUT", "/profile"):
            return signedIn(request, &state) { user, state in
                guard let name = request.text("username") else { return missing("username") }
                state.profiles[user.id] = name
                return .json(200, ["user_id": .number(user.number), "username": .string(name), "has_profile": true])
            }
        case ("GET", socketPath):
            return handshake(request, state)
        default:
            return otherwise(request, &state)
        }
    }

    func body(of refusal: BackendRefusal, _ message: String) -> BackendJSON { ["detail": .string(message)] }

    /// Answers a WebSocket handshake; only here, 403 means that the access token has expired.
    private func handshake(_ request: BackendRequest, _ state: BackendState) -> BackendResponse {
        guard request.headers["Upgrade"]?.lowercased() == "websocket" else {
            var answer = failure(.upgradeRequired, "This is a WebSocket")
            answer.headers["Upgrade"] = "websocket"
            return answer
        }
        let token = request.query.first { $0.name == "token" }?.value
        guard state.ledger.user(of: token, now: state.clock) != nil else {
            return failure(.forbidden, "Invalid or expired access token")
        }
        return BackendResponse(101, headers: ["Upgrade": "websocket", "Connection": "Upgrade"])
    }

    private func missing(_ field: String) -> BackendResponse { failure(.invalidRequest, "\(field) is missing") }

    private func tokens(_ grant: BackendTokenResponse, _ state: BackendState) -> BackendResponse {
        let access = BackendJSON.string(grant.accessToken), refresh = grant.namedRefreshToken.map(BackendJSON.string)
        let number = BackendJSON.number(grant.user.number)
        let email = grant.user.email.map(BackendJSON.string) ?? .null
        let hasProfile = BackendJSON.bool(state.profiles[grant.user.id] != nil)
        let snake: KeyValuePairs<String, BackendJSON?> = [
            "access_token": access, "refresh_token": refresh, "token_type": "bearer", "user_id": number,
            "email": email, "has_profile": hasProfile,
        ]
        let camel: KeyValuePairs<String, BackendJSON?> = [
            "accessToken": access, "refreshToken": refresh, "tokenType": "bearer", "userId": number,
            "email": email, "hasProfile": hasProfile,
        ]
        return .json(200, state.settings.casing.members(snake: snake, camel: camel))
    }
}
