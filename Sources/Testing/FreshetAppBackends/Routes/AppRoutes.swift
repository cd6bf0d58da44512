// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetTesting

/// The routes and response formats of an app's backend, derived only from the app's expectations.
protocol AppRoutes: Sendable {
    /// The path that grants a sign-in.
    var loginPath: String { get }
    /// The path that sends a code by e-mail.
    var codePath: String? { get }
    /// The path that refreshes the session.
    var refreshPath: String { get }
    /// The paths that end sessions.
    var logoutPaths: Set<String> { get }
    /// The path of the app's WebSocket.
    var socketPath: String? { get }

    /// The status for a request that is malformed or incomplete.
    var invalidRequestStatus: Int { get }

    /// Returns the backend's response to a request.
    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse

    /// Returns the error body of the app's backend.
    func body(of refusal: BackendRefusal, _ message: String) -> BackendJSON
}

extension AppRoutes {
    var codePath: String? { nil }
    var logoutPaths: Set<String> { [] }
    var socketPath: String? { nil }
    var invalidRequestStatus: Int { 400 }

    /// Returns the error response of the app's backend, with the refusal's status unless another is given.
    func failure(_ refusal: BackendRefusal, _ message: String, status: Int? = nil) -> BackendResponse {
        var answer = BackendResponse.json(
            status ?? (refusal == .invalidRequest ? invalidRequestStatus : refusal.status),
            body(of: refusal, message)
        )
        if refusal == .accessExpired { answer.headers["WWW-Authenticate"] = #"Bearer error="invalid_token""# }
        return answer
    }

    /// Returns the endpoint of a path.
    func endpoint(of path: String) -> BackendEndpoint {
        switch path {
        case codePath: .code
        case loginPath: .login
        case refreshPath: .refresh
        case socketPath: .socket
        default: logoutPaths.contains(path) ? .logout : .api
        }
    }

    /// Calls `body` with the user if the request has a valid access token.
    func signedIn(
        _ request: BackendRequest,
        _ state: inout BackendState,
        _ body: (BackendUser, inout BackendState) -> BackendResponse
    ) -> BackendResponse {
        guard let user = state.ledger.user(of: request.bearer, now: state.clock) else {
            return failure(.accessExpired, "Invalid or expired access token")
        }
        return body(user, &state)
    }

    /// Answers the paths that every app has, and 404 for all others.
    func otherwise(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch request.path {
        case "/forbidden": signedIn(request, &state) { _, _ in failure(.forbidden, "Forbidden") }
        case "/broken": signedIn(request, &state) { _, _ in failure(.other(500), "Internal server error") }
        default: failure(.notFound, "Not found")
        }
    }

    /// Signs a user in with `email` and `password`.
    ///
    /// The first password sent for an address is accepted and becomes the address's password.
    ///
    /// - Returns: The tokens, or the reason for a refusal.
    func passwordLogin(_ request: BackendRequest, _ state: inout BackendState) -> Result<
        BackendTokenResponse, LoginRefusal
    > {
        guard let email = request.text("email"), let password = request.text("password") else {
            return .failure(LoginRefusal(refusal: .invalidRequest, message: "E-mail and password are required"))
        }
        let user = BackendUser(email: email)
        guard password != BackendCredentials.wrongPassword, state.passwords[user.id] ?? password == password else {
            return .failure(LoginRefusal(refusal: .invalidCredentials, message: "Wrong e-mail or password"))
        }
        state.passwords[user.id] = password
        return .success(state.ledger.signIn(user, state.settings, now: state.clock))
    }

    /// Ends the session of a request's refresh token, if this backend has a sign-out.
    ///
    /// - Returns: The error response; `nil` if the session was ended.
    func logout(_ request: BackendRequest, _ state: inout BackendState, field: String) -> BackendResponse? {
        guard state.settings.hasLogout else { return failure(.notFound, "Not found") }
        guard let token = refreshToken(in: request, state, field: field) else {
            return failure(.invalidRequest, "Refresh token is required")
        }
        guard state.ledger.end(by: token) else { return failure(.sessionEnded, "Invalid refresh token") }
        return nil
    }

    /// Returns the refresh token, if it is in the place in which this backend expects it.
    func refreshToken(in request: BackendRequest, _ state: BackendState, field: String) -> String? {
        switch state.settings.refreshTokenPlace {
        case .json: request.text(field)
        case .form: request.formText(field)
        case .bearer: request.body.isEmpty ? request.bearer : nil
        }
    }
}

/// The reason that a password sign-in is refused.
struct LoginRefusal: Error {
    var refusal: BackendRefusal
    var message: String
}
