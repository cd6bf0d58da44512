// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
import FreshetWire

extension UserTable {
    /// Throws an error if an operator disabled the account.
    static func requireEnabled(_ id: UUID, in database: any SQLConnection) throws {
        if try isDisabled(id, in: database) {
            throw APIError(.invalidGrant, "the account is disabled", reason: .userDisabled)
        }
    }

    /// Returns whether an operator disabled an account.
    static func isDisabled(_ id: UUID, in database: any SQLConnection) throws -> Bool {
        try database.row("SELECT disabled_at FROM users WHERE id = ?", [id]) { !$0.isNull(0) } ?? false
    }

    /// An account, as operators see it.
    package struct Account: Equatable, Sendable {
        package var id: UUID
        /// A number in the order of sign-up.
        package var number: Int64
        package var email: String?
        package var createdAt: Timestamp
        package var disabledAt: Timestamp?
        package var hasPassword: Bool
        package var hasApple: Bool
        /// The number of active sessions.
        package var sessions: Int
    }

    private static let account = """
        SELECT users.id, user_numbers.number, coalesce(users.email, apple_accounts.email), users.created_at, users.disabled_at, \
        users.password IS NOT NULL, apple_accounts.sub IS NOT NULL, \
        (SELECT count(*) FROM sessions WHERE sessions."user" = users.id AND ended_at IS NULL \
        AND idle_end > ? AND absolute_end > ?) \
        FROM user_numbers JOIN users ON users.id = user_numbers."user" \
        LEFT JOIN apple_accounts ON apple_accounts."user" = users.id
        """

    /// Returns a page of accounts, in the order of sign-up.
    package static func accounts(
        after number: Int64,
        limit: Int,
        at now: Timestamp,
        in database: any SQLConnection
    ) throws -> [Account] {
        let sql = account + " WHERE user_numbers.number > ? ORDER BY user_numbers.number LIMIT ?"
        return try database.rows(sql, [now, now, number, limit], account)
    }

    package static func account(_ id: UUID, at now: Timestamp, in database: any SQLConnection) throws -> Account? {
        let sql = account + " WHERE users.id = ?"
        return try database.row(sql, [now, now, id], account)
    }

    package static func account(_ email: EmailAddress, at now: Timestamp, in database: any SQLConnection) throws
        -> Account?
    {
        let sql = account + " WHERE users.email = ?"
        return try database.row(sql, [now, now, email], account)
    }

    private static func account(_ row: any SQLRow) throws -> Account {
        Account(
            id: try row[0],
            number: try row[1],
            email: try row[2],
            createdAt: try row[3],
            disabledAt: try row[4],
            hasPassword: try row[5],
            hasApple: try row[6],
            sessions: try row[7]
        )
    }
}
