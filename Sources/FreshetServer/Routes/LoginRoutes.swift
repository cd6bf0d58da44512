// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Hummingbird

/// Signing up and in.
struct LoginRoutes: Sendable {
    let passwords: PasswordLogin
    /// `nil` if the server sends no mail.
    let codes: CodeLogin?
    let clients: ClientAuthentication
    let bodyLimit: Int

    func add(to table: inout RouteTable) {
        table.on(.post, NativePath.signup) { request, context in
            let terms = try await terms(request)
            let credentials = try await request.json(PasswordCredentials.self, limit: bodyLimit)
            let grant = try await passwords.signUp(credentials, from: context.requester, terms: terms)
            return .json(grant, status: .created)
        }
        table.on(.post, NativePath.loginPassword) { request, context in
            let terms = try await terms(request)
            let credentials = try await request.json(PasswordCredentials.self, limit: bodyLimit)
            return .json(try await passwords.signIn(credentials, from: context.requester, terms: terms))
        }
        guard let codes else { return }
        table.on(.post, NativePath.loginCode) { request, context in
            let body = try await request.json(CodeRequest.self, limit: bodyLimit)
            return .json(try await codes.begin(body, from: context.requester), status: .accepted)
        }
        table.on(.post, NativePath.loginCodeVerify) { request, context in
            let terms = try await terms(request)
            let verification = try await request.json(CodeVerification.self, limit: bodyLimit)
            return .json(try await codes.verify(verification, from: context.requester, terms: terms))
        }
    }

    /// A client that signs a user in names itself in the Authorization field, and the session is its own.
    private func terms(_ request: Request) async throws -> SessionTerms {
        try await clients.client(ofSignIn: request).map { .client($0) } ?? .native
    }
}
