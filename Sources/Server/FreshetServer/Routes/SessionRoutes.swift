// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import Hummingbird

/// What a signed-in user can see and end.
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
            // Another user's session does not exist as far as this one is concerned.
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

extension Me {
    /// What an access token's holder is told.
    ///
    /// - Throws: `invalidToken` if there is no such account any more.
    init(_ claims: AccessClaims, _ user: User?) throws(APIError) {
        guard let user else { throw APIError(.invalidToken, "the account is gone") }
        self.init(
            user: UserInfo(id: SessionID(user.id).description, email: user.email?.text),
            sessionID: claims.session
        )
    }
}

extension SessionSummary {
    init(_ row: SessionRow, isCurrent: Bool) {
        self.init(
            id: row.id,
            current: isCurrent,
            device: row.device,
            createdAt: row.createdAt.seconds,
            lastUsedAt: row.lastUsedAt.seconds,
            expiresAt: row.end.seconds,
            place: row.place,
            signedInBy: row.method
        )
    }
}
