// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// The endpoints that change the sign-in methods of an account.
struct AccountRoutes: Sendable {
    let passwords: PasswordChange
    let links: AccountLinking
    let bearer: BearerAuthentication
    let bodyLimit: Int

    func add(to table: inout RouteTable) {
        table.on(.post, NativePath.password) { request, context in
            let update = try await request.json(PasswordUpdate.self, limit: bodyLimit)
            if let attempt = update.attempt, let code = update.code {
                try await passwords.reset(update, attempt: attempt, code: code, from: context.requester)
            } else {
                try await passwords.change(update, by: bearer.claims(of: request), from: context.requester)
            }
            return .noContent
        }
        table.on(.post, NativePath.passwordReset) { request, context in
            let body = try await request.json(CodeRequest.self, limit: bodyLimit)
            return .json(try await passwords.begin(body, from: context.requester), status: .accepted)
        }
        table.on(.post, NativePath.linkEmail) { request, context in
            let claims = try bearer.claims(of: request)
            let body = try await request.json(LinkRequest.self, limit: bodyLimit)
            return .json(try await links.begin(body, by: claims, from: context.requester), status: .accepted)
        }
        table.on(.post, NativePath.linkEmailVerify) { request, context in
            let claims = try bearer.claims(of: request)
            let body = try await request.json(LinkRequest.self, limit: bodyLimit)
            try await links.addAddress(body, by: claims, from: context.requester)
            return .noContent
        }
        table.on(.post, NativePath.linkApple) { request, context in
            let claims = try bearer.claims(of: request)
            let body = try await request.json(LinkRequest.self, limit: bodyLimit)
            try await links.addApple(body, by: claims, from: context.requester)
            return .noContent
        }
        table.on(.delete, NativePath.linkApple) { request, context in
            try await links.removeApple(by: bearer.claims(of: request), from: context.requester)
            return .noContent
        }
    }
}
