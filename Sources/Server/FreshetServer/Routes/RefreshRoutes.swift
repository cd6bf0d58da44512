// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// The endpoints for refresh tokens (PROTOCOL.md, "HTTP shape of the native contract").
struct RefreshRoutes: Sendable {
    let sessions: SessionRegistry
    let bodyLimit: Int

    func add(to table: inout RouteTable) {
        table.on(.post, NativePath.refresh) { request, _ in
            let body = try await request.json(RefreshRequest.self, limit: bodyLimit)
            return try await respond(to: TokenRequest(.refresh(intent: body.intent), token: body.refreshToken))
        }
        let operations: [(String, TokenRequest.Operation)] = [
            (NativePath.confirm, .confirm), (NativePath.report, .report), (NativePath.logout, .logout),
        ]
        for (path, operation) in operations {
            table.on(.post, path) { request, _ in
                let body = try await request.json(PresentedToken.self, limit: bodyLimit)
                return try await respond(to: TokenRequest(operation, token: body.refreshToken))
            }
        }
    }

    private func respond(to request: TokenRequest) async throws -> Response {
        try await sessions.present(request).map(Response.grant) ?? .noContent
    }
}
