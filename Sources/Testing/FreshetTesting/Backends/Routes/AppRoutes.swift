// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How one app's backend reads requests and writes answers; written from what the app expects, and from nothing else.
protocol AppRoutes: Sendable {
    /// Where a sign-in is granted.
    var loginPath: String { get }
    /// Where a code by e-mail is asked for.
    var codePath: String? { get }
    /// Where the session is refreshed.
    var refreshPath: String { get }
    /// Where sessions end.
    var logoutPaths: Set<String> { get }
    /// Where the app opens its socket.
    var socketPath: String? { get }

    /// The status of a request that cannot be read or lacks something.
    var invalidRequestStatus: Int { get }

    /// What the backend does.
    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse

    /// The body with which the app's backend refuses a request.
    func body(of refusal: BackendRefusal, _ message: String) -> BackendJSON
}

extension AppRoutes {
    var codePath: String? { nil }
    var logoutPaths: Set<String> { [] }
    var socketPath: String? { nil }
    var invalidRequestStatus: Int { 400 }

    /// The answer with which the app's backend refuses a request, with the refusal's own status or another one.
    func failure(_ refusal: BackendRefusal, _ message: String, status: Int? = nil) -> BackendResponse {
        var answer = BackendResponse.json(
            status ?? (refusal == .invalidRequest ? invalidRequestStatus : refusal.status),
            body(of: refusal, message)
        )
        if refusal == .accessExpired { answer.headers["WWW-Authenticate"] = #"Bearer error="invalid_token""# }
        return answer
    }

    /// What a path is for.
    func endpoint(of path: String) -> BackendEndpoint {
        switch path {
        case codePath: .code
        case loginPath: .login
        case refreshPath: .refresh
        case socketPath: .socket
        default: logoutPaths.contains(path) ? .logout : .api
        }
    }

    /// Does what is asked if a good access token comes with the request.
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

    /// What no app has a path of its own for.
    func otherwise(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch request.path {
        case "/forbidden": signedIn(request, &state) { _, _ in failure(.forbidden, "Forbidden") }
        case "/broken": signedIn(request, &state) { _, _ in failure(.other(500), "Internal server error") }
        default: failure(.notFound, "Not found")
        }
    }

    /// Signs in with `email` and `password`.
    ///
    /// The first password of an address is its password from then on.
    ///
    /// - Returns: The grant, or why there is none.
    func passwordLogin(_ request: BackendRequest, _ state: inout BackendState) -> Result<
        BackendTokenResponse, LoginRefusal
    > {
        guard let email = request.text("email"), let password = request.text("password") else {
            return .failure(LoginRefusal(refusal: .invalidRequest, message: "E-mail and password are required"))
        }
        let user = BackendUser(email: email)
        guard password != AppBackend.wrongPassword, state.passwords[user.id] ?? password == password else {
            return .failure(LoginRefusal(refusal: .invalidCredentials, message: "Wrong e-mail or password"))
        }
        state.passwords[user.id] = password
        return .success(state.ledger.signIn(user, state.settings, now: state.clock))
    }

    /// Ends the session of the refresh token in a request, where this backend has a sign-out.
    ///
    /// - Returns: The refusal; `nil` once the session is over.
    func logout(_ request: BackendRequest, _ state: inout BackendState, field: String) -> BackendResponse? {
        guard state.settings.hasLogout else { return failure(.notFound, "Not found") }
        guard let token = refreshToken(in: request, state, field: field) else {
            return failure(.invalidRequest, "Refresh token is required")
        }
        guard state.ledger.end(by: token) else { return failure(.sessionEnded, "Invalid refresh token") }
        return nil
    }

    /// The refresh token, if it is where this backend expects it.
    func refreshToken(in request: BackendRequest, _ state: BackendState, field: String) -> String? {
        switch state.settings.refreshTokenPlace {
        case .json: request.text(field)
        case .form: request.formText(field)
        case .bearer: request.body.isEmpty ? request.bearer : nil
        }
    }
}

/// Why a password did not sign in.
struct LoginRefusal: Error {
    var refusal: BackendRefusal
    var message: String
}
