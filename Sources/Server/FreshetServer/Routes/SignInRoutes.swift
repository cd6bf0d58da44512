// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// The endpoints of sign-up and sign-in.
struct SignInRoutes: Sendable {
    let passwords: PasswordLogin
    /// The sign-in with mailed codes; `nil` if the server sends no mail.
    let codes: CodeLogin?
    let clients: ClientAuthentication
    let bodyLimit: Int

    func add(to table: inout RouteTable) {
        table.on(.post, NativePath.signup) { request, context in
            let sessionPolicy = try await sessionPolicy(request)
            let credentials = try await request.json(PasswordCredentials.self, limit: bodyLimit)
            let grant = try await passwords.signUp(credentials, from: context.requester, sessionPolicy: sessionPolicy)
            return .json(grant, status: .created)
        }
        table.on(.post, NativePath.loginPassword) { request, context in
            let sessionPolicy = try await sessionPolicy(request)
            let credentials = try await request.json(PasswordCredentials.self, limit: bodyLimit)
            return .json(try await passwords.signIn(credentials, from: context.requester, sessionPolicy: sessionPolicy))
        }
        guard let codes else { return }
        table.on(.post, NativePath.loginCode) { request, context in
            let body = try await request.json(CodeRequest.self, limit: bodyLimit)
            return .json(try await codes.begin(body, from: context.requester), status: .accepted)
        }
        table.on(.post, NativePath.loginCodeVerify) { request, context in
            let sessionPolicy = try await sessionPolicy(request)
            let verification = try await request.json(CodeVerification.self, limit: bodyLimit)
            return .json(try await codes.verify(verification, from: context.requester, sessionPolicy: sessionPolicy))
        }
    }

    /// Returns the session's policy: that of the OAuth client in the Authorization field, if any.
    private func sessionPolicy(_ request: Request) async throws -> SessionPolicy {
        try await clients.client(ofSignIn: request.headers[values: .authorization]).map { .client($0) } ?? .native
    }
}
