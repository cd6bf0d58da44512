// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB

extension UserTable {
    /// Lets nobody in whose account an operator disabled.
    static func refuseDisabled(_ id: UUID, in database: Database) throws {
        let sql = "SELECT disabled_at FROM users WHERE id = ?"
        let disabledAt = try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [id.data])?[0] as Int64?
        if disabledAt != nil { throw APIError(.invalidGrant, "the account is disabled", reason: .userDisabled) }
    }

    typealias Account = OperatorDesk.Account

    private static let account = """
        SELECT users.id, user_numbers.number, coalesce(users.email, apple_accounts.email), users.created_at, users.disabled_at, \
        users.password IS NOT NULL, apple_accounts.sub IS NOT NULL, \
        (SELECT count(*) FROM sessions WHERE sessions.user = users.id AND ended_at IS NULL \
        AND min(idle_end, absolute_end) > ?) \
        FROM user_numbers JOIN users ON users.id = user_numbers.user LEFT JOIN apple_accounts ON apple_accounts.user = users.id
        """

    /// A page of accounts, in the order of sign-up.
    static func accounts(
        after number: Int64,
        limit: Int,
        at now: Timestamp,
        in database: Database
    ) throws -> [Account] {
        let sql = account + " WHERE user_numbers.number > ? ORDER BY user_numbers.number LIMIT ?"
        return try Row.fetchAll(database, sql: sql, arguments: [now.milliseconds, number, limit]).map(account)
    }

    static func account(_ id: UUID, at now: Timestamp, in database: Database) throws -> Account? {
        let sql = account + " WHERE users.id = ?"
        return try Row.fetchOne(database, sql: sql, arguments: [now.milliseconds, id.data]).map(account)
    }

    static func account(_ email: EmailAddress, at now: Timestamp, in database: Database) throws -> Account? {
        let sql = account + " WHERE users.email = ?"
        return try Row.fetchOne(database, sql: sql, arguments: [now.milliseconds, email.text]).map(account)
    }

    /// Closes or opens an account's door; its sessions are another matter.
    static func setDisabled(_ moment: Timestamp?, _ id: UUID, in database: Database) throws {
        try database.execute(
            sql: "UPDATE users SET disabled_at = ? WHERE id = ?",
            arguments: [moment?.milliseconds, id.data]
        )
    }

    /// Deletes an account and all the ways into it.
    static func delete(_ id: UUID, in database: Database) throws {
        let email = try find(id, in: database)?.email?.text
        try database.execute(sql: "DELETE FROM code_attempts WHERE email = ?", arguments: [email])
        try database.execute(sql: "DELETE FROM apple_accounts WHERE user = ?", arguments: [id.data])
        try database.execute(sql: "DELETE FROM user_numbers WHERE user = ?", arguments: [id.data])
        try database.execute(sql: "DELETE FROM users WHERE id = ?", arguments: [id.data])
    }

    private static func account(_ row: Row) throws -> Account {
        Account(
            id: try UUID(data: row[0]),
            number: row[1],
            email: row[2],
            createdAt: Timestamp(milliseconds: row[3]),
            disabledAt: (row[4] as Int64?).map { Timestamp(milliseconds: $0) },
            hasPassword: row[5],
            hasApple: row[6],
            sessions: row[7]
        )
    }
}
