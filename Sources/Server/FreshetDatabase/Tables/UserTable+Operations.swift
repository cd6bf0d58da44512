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
    ///
    /// - Parameters:
    ///   - text: The beginning of the accounts' addresses or IDs; `nil` for all accounts.
    ///   - number: The number of the last account of the page before.
    ///   - limit: The maximum number of accounts.
    ///   - now: The time at which sessions must be active to be counted.
    ///   - database: The connection.
    /// - Returns: The accounts, at most `limit`.
    /// - Throws: The database's errors.
    package static func accounts(
        beginning text: String? = nil,
        after number: Int64,
        limit: Int,
        at now: Timestamp,
        in database: any SQLConnection
    ) throws -> [Account] {
        var sql = account + " WHERE user_numbers.number > ?"
        var values: [any SQLConvertible] = [now, now, number]
        if let prefix = text?.lowercased() {
            sql += " AND (substr(coalesce(users.email, apple_accounts.email), 1, ?) = ?"
            // SQL counts scalars, where Swift counts characters that may consist of several.
            values += [prefix.unicodeScalars.count, prefix]
            if let ids = idRange(prefix) {
                sql += " OR users.id BETWEEN ? AND ?"
                values += [ids.first, ids.last]
            }
            sql += ")"
        }
        return try database.rows(sql + " ORDER BY user_numbers.number LIMIT ?", values + [limit], account)
    }

    /// Returns the first and the last ID that begin with a text; `nil` if none does.
    private static func idRange(_ prefix: String) -> (first: UUID, last: UUID)? {
        let places = Array("00000000-0000-0000-0000-000000000000".utf8)
        guard !prefix.isEmpty, prefix.utf8.count <= places.count,
            zip(prefix.utf8, places).allSatisfy({ ($0 == UInt8(ascii: "-")) == ($1 == UInt8(ascii: "-")) })
        else { return nil }
        let rest = String(decoding: places.dropFirst(prefix.utf8.count), as: UTF8.self)
        guard let first = UUID(uuidString: prefix + rest),
            let last = UUID(uuidString: prefix + rest.replacing("0", with: "f"))
        else { return nil }
        return (first, last)
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
