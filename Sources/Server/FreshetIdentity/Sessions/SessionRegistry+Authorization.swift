// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetDatabase
package import FreshetEngine
package import FreshetWire

extension SessionRegistry {
    /// Runs an operation of a signed-in user in a durable transaction that found the session alive.
    ///
    /// - Parameters:
    ///   - credential: What the request presented.
    ///   - requirement: What the operation demands of the session.
    ///   - body: The operation; may be run again if the database asks for it.
    /// - Returns: What `body` returns.
    /// - Throws: What ``AuthorizedSession`` throws, or what `body` throws; nothing is changed then.
    package func authorized<Value: Sendable>(
        _ credential: SessionCredential,
        _ requirement: SessionRequirement = .alive,
        _ body: @escaping @Sendable (borrowing AuthorizedSession, any SQLConnection) throws -> Value
    ) async throws -> Value {
        let reading = clock.reading()
        return try await database.durably { database in
            try body(try AuthorizedSession(credential, requirement, at: reading, in: database), database)
        }
    }

    /// The account of a session, as the database has it now.
    ///
    /// - Throws: `invalidToken` if the session is over or the account gone or disabled.
    package func account(of credential: SessionCredential) async throws -> User {
        let reading = clock.reading()
        return try await database.read { try AuthorizedSession(credential, .alive, at: reading, in: $0).account }
    }

    /// Whether the database says that a session is alive and its account enabled.
    ///
    /// Memory alone does not know of a session that another process ended a moment ago.
    package func isAlive(_ credential: SessionCredential) async throws -> Bool {
        do {
            _ = try await account(of: credential)
            return true
        } catch let error as APIError where error.code == .invalidToken {
            return false
        }
    }

    /// The sessions of a signed-in user that are alive, most recently used first.
    ///
    /// - Throws: `invalidToken` if the user's own session is not among them.
    package func list(by claims: AccessClaims) async throws -> [SessionRow] {
        let rows = try await list(of: claims.user)
        guard rows.contains(where: { $0.id == claims.session }) else {
            throw APIError(.invalidToken, "the session is over")
        }
        return rows
    }

    /// Which sessions a user ends.
    package enum Selection: Sendable {
        /// The one that the request came from.
        case own
        case one(SessionID)
        /// All but the one that the request came from.
        case others
        case all
    }

    /// Ends sessions of a signed-in user.
    ///
    /// - Returns: How many were alive until now.
    package func end(_ selection: Selection, by credential: SessionCredential, reason: EndReason) async throws -> Int {
        let ending = SessionRow.Ending(at: clock(), reason: reason)
        let (ids, user, session) = try await authorized(credential) { session, database in
            let ids =
                switch selection {
                case .own: try SessionTable.end(only: session.id, ending, by: session.authority, in: database)
                case .one(let id): try SessionTable.end(only: id, ending, by: session.authority, in: database)
                case .others: try SessionTable.end(except: session.id, ending, by: session.authority, in: database)
                case .all: try SessionTable.end(ending, by: session.authority, in: database)
                }
            return (ids, session.row.user, session.id)
        }
        publishEnd(of: ids, user, reason, at: ending.at, by: .session(session))
        return ids.count
    }
}
