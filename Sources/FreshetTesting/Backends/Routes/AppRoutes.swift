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

    /// What the backend does.
    func answer(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse

    /// How the app's backend words a failure.
    func failure(_ status: Int, _ message: String) -> BackendResponse
}

extension AppRoutes {
    var codePath: String? { nil }
    var logoutPaths: Set<String> { [] }
    var socketPath: String? { nil }

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
            return failure(401, "Invalid or expired access token")
        }
        return body(user, &state)
    }

    /// What no app has a path of its own for.
    func otherwise(_ request: BackendRequest, _ state: inout BackendState) -> BackendResponse {
        switch request.path {
        case "/forbidden": signedIn(request, &state) { _, _ in failure(403, "Forbidden") }
        case "/broken": signedIn(request, &state) { _, _ in failure(500, "Internal server error") }
        default: failure(404, "Not found")
        }
    }

    /// Signs in with `email` and `password`.
    ///
    /// - Returns: `nil` if they are missing or wrong.
    func passwordLogin(_ request: BackendRequest, _ state: inout BackendState) -> BackendGrant? {
        guard let email = request.text("email"), let password = request.text("password"),
            password != AppBackend.wrongPassword
        else { return nil }
        return state.ledger.signIn(BackendUser(email: email), state.settings, now: state.clock)
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
