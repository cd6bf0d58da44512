// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetContract
import FreshetDatabase
import FreshetEngine
package import FreshetHTTP
package import FreshetIdentity
import FreshetWire
import Hummingbird

/// Performs the requests of a contract, with the services of the native routes.
package struct ContractActions: Sendable {
    let sessionPolicy: SessionPolicy
    let requestAuthorization: RequestAuthorization
    let passwords: PasswordLogin
    /// The sign-in with mailed codes; `nil` if the server sends no mail.
    let codes: CodeLogin?
    /// The sign-in with Apple; `nil` if the server has no keys from Apple.
    let apple: AppleLogin?
    let sessions: SessionRegistry
    let bearer: BearerAuthentication

    package init(
        sessionPolicy: SessionPolicy,
        requestAuthorization: RequestAuthorization,
        passwords: PasswordLogin,
        codes: CodeLogin?,
        apple: AppleLogin?,
        sessions: SessionRegistry,
        bearer: BearerAuthentication
    ) {
        self.sessionPolicy = sessionPolicy
        self.requestAuthorization = requestAuthorization
        self.passwords = passwords
        self.codes = codes
        self.apple = apple
        self.sessions = sessions
        self.bearer = bearer
    }

    /// Performs a request.
    ///
    /// - Parameters:
    ///   - name: The endpoint of the request.
    ///   - given: The values of the request.
    ///   - request: The request itself, for its access token.
    ///   - needs: The names of the values in the response.
    /// - Returns: The values of the response.
    /// - Throws: `APIError` for a refusal; the contract defines its own response to most of them.
    func perform(
        _ name: EndpointName,
        _ given: TemplateValues,
        _ request: ContractRequest,
        needs: Set<String>
    ) async throws -> TemplateValues {
        switch name {
        case .password:
            return try await values(
                passwords.signIn(credentials(given), from: request.requester, sessionPolicy: sessionPolicy),
                needs
            )
        case .signup:
            return try await values(
                passwords.signUp(credentials(given), from: request.requester, sessionPolicy: sessionPolicy),
                needs
            )
        case .code:
            let attempt = try await mailing().begin(
                CodeRequest(email: try address(given), knownDevice: given["known_device"]?.string),
                from: request.requester
            )
            return values(attempt)
        case .codeVerify:
            return try await values(verify(given, from: request.requester), needs)
        case .apple:
            guard let apple else { throw APIError(.notImplemented, "Sign in with Apple is not configured here") }
            let token = try given.required("identity_token")
            let nonce = try given["nonce"].map { _ throws(APIError) in try given.required("nonce") }
            let grant = try await apple.signIn(
                token,
                nonce: nonce,
                device: given.device,
                fullName: given["full_name"]?.text,
                from: request.requester,
                sessionPolicy: sessionPolicy
            )
            return try await values(grant, needs)
        case .refresh:
            let text = try given.required("refresh_token")
            let presented = try TokenRequest(.refresh(intent: nil), token: text, at: refreshEndpoint)
            guard let tokens = try await sessions.present(presented) else {
                throw APIError(.serverError, "a refresh without tokens")
            }
            return try await values(tokens, needs)
        case .logout:
            try await logout(given, request)
            return .message("signed out")
        case .logoutAll:
            _ = try await sessions.end(.all, by: .accessToken(claims(request, given)), reason: .logoutAll)
            return .message("signed out everywhere")
        case .sessionRevoke:
            // Another user's session is reported as not found.
            let claims = try claims(request, given)
            guard let id = SessionID(try given.required("id")),
                try await sessions.end(.one(id), by: .accessToken(claims), reason: .revokedByUser) > 0
            else { throw APIError(.notFound, "no such session") }
            return .message("the session is over")
        case .sessionList:
            let claims = try claims(request, given)
            return try await values(claims, needs).merging(values(sessions.list(by: claims), claims))
        case .me:
            return try await values(claims(request, given), needs)
        default:
            throw APIError(.notImplemented, "this server has no sign-in of this kind")
        }
    }

    /// Creates or changes the profile of the signed-in user.
    func setProfile(_ given: TemplateValues, _ request: ContractRequest) async throws {
        let profile = Profile(username: given["username"]?.text, name: given["name"]?.text)
        guard profile != Profile() else { throw APIError(.invalidRequest, "username is missing") }
        _ = try await sessions.setProfile(profile, by: try claims(request, TemplateValues()))
    }

    private var refreshEndpoint: RefreshEndpoint { sessionPolicy.contract.map { .contract($0) } ?? .native }

    // MARK: - Signing in and out

    private func credentials(_ given: TemplateValues) throws(APIError) -> PasswordCredentials {
        PasswordCredentials(
            email: try address(given),
            password: try given.required("password"),
            device: given.device,
            knownDevice: given["known_device"]?.string
        )
    }

    /// Accounts are identified by their address, regardless of the name that the app uses for it.
    private func address(_ given: TemplateValues) throws(APIError) -> String {
        if let address = given["email"]?.text ?? given["username"]?.text { return address }
        return try given.required("email")
    }

    private func mailing() throws(APIError) -> CodeLogin {
        guard let codes else { throw APIError(.notImplemented, "this server sends no mail") }
        return codes
    }

    private func verify(_ given: TemplateValues, from requester: Requester) async throws -> SessionTokens {
        let code = try given.required("code")
        guard let attempt = given["attempt"]?.text else {
            return try await mailing().verify(
                code,
                of: address(given),
                device: given.device,
                knownDevice: given["known_device"]?.string,
                from: requester,
                sessionPolicy: sessionPolicy
            )
        }
        let verification = CodeVerification(attempt: attempt, code: code, device: given.device)
        return try await mailing().verify(verification, from: requester, sessionPolicy: sessionPolicy)
    }

    /// A refresh token ends its session even if the access token has expired.
    private func logout(_ given: TemplateValues, _ request: ContractRequest) async throws {
        if let token = given["refresh_token"]?.text {
            _ = try await sessions.present(TokenRequest(.logout, token: token, at: refreshEndpoint))
        } else if let token = try accessToken(request, given) {
            let claims = try bearer.claims(of: token)
            _ = try await sessions.end(.own, by: .accessToken(claims), reason: .logout)
        } else {
            _ = try given.required("refresh_token")
        }
    }

    // MARK: - Authentication

    /// Returns the claims of the access token, from the contract's header field or the request's templates.
    func claims(_ request: ContractRequest, _ given: TemplateValues) throws(APIError) -> AccessClaims {
        guard let token = try accessToken(request, given) else { throw APIError(.invalidToken) }
        return try bearer.claims(of: token)
    }

    private func accessToken(_ request: ContractRequest, _ given: TemplateValues) throws(APIError) -> String? {
        if let token = given["access_token"]?.text { return token }
        return try attachedToken(request)
    }

    private func attachedToken(_ request: ContractRequest) throws(APIError) -> String? {
        guard let field = try request.header(requestAuthorization.header) else { return nil }
        guard !requestAuthorization.scheme.isEmpty else { return field }
        return AuthorizationField(field).flatMap {
            $0.scheme == requestAuthorization.scheme.lowercased() ? $0.credentials : nil
        }
    }
}
