// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// The endpoints of Sign in with Apple, and of Apple's notifications.
struct AppleRoutes: Sendable {
    let login: AppleLogin
    let bodyLimit: Int

    func add(to table: inout RouteTable) {
        table.on(.post, NativePath.loginAppleNonce) { _, context in
            .json(try login.nonce(from: context.requester), status: .created)
        }
        table.on(.post, NativePath.loginApple) { request, context in
            let credentials = try await request.json(AppleCredentials.self, limit: bodyLimit)
            return .json(try await login.signIn(credentials, from: context.requester))
        }
        table.on(.post, NativePath.appleNotifications) { request, context in
            let body = try await request.json(AppleNotificationBody.self, limit: bodyLimit)
            try await AppleNotifications(login: login).take(body, from: context.requester)
            return Response(status: .ok)
        }
    }
}
