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
    ///   - credential: The credential that the request presented.
    ///   - requirement: The operation's requirement of the session.
    ///   - body: The operation; may run again if the database has to retry the transaction.
    /// - Returns: The value of `body`.
    /// - Throws: The errors of ``AuthorizedSession`` and of `body`; the database is then unchanged.
    package func authorized<Value: Sendable>(
        _ credential: SessionCredential,
        _ requirement: SessionRequirement = .alive,
        _ body: @escaping @Sendable (borrowing AuthorizedSession, any SQLConnection) throws -> Value
    ) async throws -> Value {
        let reading = clock.reading()
        return try await publishingFoundEnd(of: credential) {
            try await database.durably { database in
                try body(try AuthorizedSession(credential, requirement, at: reading, in: database), database)
            }
        }
    }

    /// Returns the account of a session from the database.
    ///
    /// - Throws: `invalidToken` if the session has ended or the account is deleted or disabled.
    func account(of credential: SessionCredential) async throws -> User {
        let reading = clock.reading()
        return try await publishingFoundEnd(of: credential) {
            try await database.read { try AuthorizedSession(credential, .alive, at: reading, in: $0).account }
        }
    }

    /// Publishes the end of a session for which the database refuses a credential, so that no later request is accepted.
    private func publishingFoundEnd<Value: Sendable>(
        of credential: SessionCredential,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        do { return try await operation() } catch let error as APIError where error.code == .invalidToken {
            publishFoundEnd(of: try await database.read { try credential.session(in: $0) })
            throw error
        }
    }

    /// Whether, according to the database, a session is alive and its account enabled.
    ///
    /// The in-memory cache of ended sessions may not contain a session that another process has just ended.
    package func isAlive(_ credential: SessionCredential) async throws -> Bool {
        do {
            _ = try await account(of: credential)
            return true
        } catch let error as APIError where error.code == .invalidToken {
            return false
        }
    }

    /// Returns the live sessions of a signed-in user, most recently used first.
    ///
    /// - Throws: `invalidToken` if the user's own session is not among them.
    package func list(by claims: AccessClaims) async throws -> [SessionRow] {
        let rows = try await list(of: claims.user)
        guard rows.contains(where: { $0.id == claims.session }) else {
            throw APIError(.invalidToken, "the session is over")
        }
        return rows
    }

    /// Ends the session of an access token, and counts a session that has ended as ended.
    ///
    /// In either case the end is on disk, and published, when this returns.
    ///
    /// - Parameter claims: The claims of a token with a valid signature, whether its session is known to have ended or not.
    /// - Throws: The database's error.
    package func signOut(by claims: AccessClaims) async throws {
        let credential = SessionCredential.accessToken(claims)
        do {
            _ = try await end(.own, by: credential, reason: .logout)
        } catch let error as APIError where error.code == .invalidToken {
            // A failed flush can have left an end that readers see, and a power failure undoes.
            publishFoundEnd(of: try await database.durably { try credential.session(in: $0) })
        }
    }

    /// The sessions that a user's request ends.
    package enum Selection: Sendable {
        /// The session of the request.
        case own
        case one(SessionID)
        /// All sessions except that of the request.
        case others
        case all
    }

    /// Ends sessions of a signed-in user.
    ///
    /// - Returns: The number of sessions that were alive.
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
