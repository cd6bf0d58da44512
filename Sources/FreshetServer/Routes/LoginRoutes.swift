// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Hummingbird

/// Signing up and in.
struct LoginRoutes: Sendable {
    let passwords: PasswordLogin
    /// `nil` if the server sends no mail.
    let codes: CodeLogin?
    let bodyLimit: Int

    func add(to table: inout RouteTable) {
        table.on(.post, NativePath.signup) { request, context in
            let credentials = try await request.json(PasswordCredentials.self, limit: bodyLimit)
            return .json(try await passwords.signUp(credentials, from: context.requester), status: .created)
        }
        table.on(.post, NativePath.loginPassword) { request, context in
            let credentials = try await request.json(PasswordCredentials.self, limit: bodyLimit)
            return .json(try await passwords.signIn(credentials, from: context.requester))
        }
        guard let codes else { return }
        table.on(.post, NativePath.loginCode) { request, context in
            let body = try await request.json(CodeRequest.self, limit: bodyLimit)
            return .json(try await codes.begin(body, from: context.requester), status: .accepted)
        }
        table.on(.post, NativePath.loginCodeVerify) { request, context in
            let verification = try await request.json(CodeVerification.self, limit: bodyLimit)
            return .json(try await codes.verify(verification, from: context.requester))
        }
    }
}
