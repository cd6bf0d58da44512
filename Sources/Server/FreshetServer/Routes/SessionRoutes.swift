// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import Hummingbird

/// The endpoints with which a signed-in user lists and ends sessions.
struct SessionRoutes: Sendable {
    let sessions: SessionRegistry
    let bearer: BearerAuthentication

    func add(to table: inout RouteTable) {
        table.on(.get, NativePath.me) { request, _ in
            let claims = try bearer.claims(of: request)
            return .me(try Me(claims, try await sessions.database.read { try UserTable.find(claims.user, in: $0) }))
        }
        table.on(.get, NativePath.sessions) { request, _ in
            let claims = try bearer.claims(of: request)
            let rows = try await sessions.list(by: claims)
            return .json(SessionList(sessions: rows.map { SessionSummary($0, isCurrent: $0.id == claims.session) }))
        }
        table.on(.delete, NativePath.sessions + "/{id}") { request, context in
            let claims = try bearer.claims(of: request)
            // Another user's session is reported as not found.
            guard let id = context.parameters.get("id").flatMap({ SessionID($0) }),
                try await sessions.end(.one(id), by: .accessToken(claims), reason: .revokedByUser) > 0
            else { throw APIError(.notFound, "no such session") }
            return .noContent
        }
        table.on(.post, NativePath.logoutAll) { request, _ in
            let claims = try bearer.claims(of: request)
            _ = try await sessions.end(.all, by: .accessToken(claims), reason: .logoutAll)
            return .noContent
        }
        table.on(.post, NativePath.logoutOthers) { request, _ in
            let claims = try bearer.claims(of: request)
            _ = try await sessions.end(.others, by: .accessToken(claims), reason: .revokedByUser)
            return .noContent
        }
    }
}
