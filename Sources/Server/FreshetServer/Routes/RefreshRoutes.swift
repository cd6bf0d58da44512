// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// Where a refresh token is presented (PROTOCOL.md, "HTTP shape of the native contract").
struct RefreshRoutes: Sendable {
    let sessions: SessionRegistry
    let bodyLimit: Int

    func add(to table: inout RouteTable) {
        table.on(.post, NativePath.refresh) { request, _ in
            .grant(try await sessions.refresh(try await request.json(RefreshRequest.self, limit: bodyLimit)))
        }
        let notes: [(String, @Sendable (RefreshToken) async throws -> Void)] = [
            (NativePath.confirm, sessions.confirm), (NativePath.report, sessions.report),
            (NativePath.logout, sessions.logout),
        ]
        for (path, note) in notes {
            table.on(.post, path) { request, _ in
                let presented = try await request.json(PresentedToken.self, limit: bodyLimit)
                try await note(SessionRegistry.parse(presented.refreshToken))
                return .noContent
            }
        }
    }
}
