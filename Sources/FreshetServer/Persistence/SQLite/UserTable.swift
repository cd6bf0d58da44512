// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB

/// An account.
struct User: Equatable, Sendable, Masked {
    var id: UUID
    /// The address that it signs in with; `nil` if it signs in with Apple only.
    var email: EmailAddress?
    /// A PHC string; `nil` as long as the account has no password.
    var password: String?
    /// Whether a code showed that whoever has the account reads its address.
    var isProved = false

    var mask: String { "User(\(email?.text ?? SessionID(id).description))" }
}

/// Reads and writes accounts.
enum UserTable {
    static func find(_ email: EmailAddress, in database: Database) throws -> User? {
        let sql = "SELECT id, email, password, proved_at FROM users WHERE email = ?"
        return try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [email.text]).map(user)
    }

    /// Whether there is one, for the same work either way: reading an account takes longer than finding none.
    static func has(_ email: EmailAddress, in database: Database) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM users WHERE email = ?)"
        return try Bool.fetchOne(database.cachedStatement(sql: sql), arguments: [email.text]) ?? false
    }

    static func find(_ id: UUID, in database: Database) throws -> User? {
        let sql = "SELECT id, email, password, proved_at FROM users WHERE id = ?"
        return try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [id.data]).map(user)
    }

    /// Adds an account.
    ///
    /// - Returns: `false` if the address has one already.
    static func insert(_ user: User, at now: Timestamp, in database: Database) throws -> Bool {
        try database.execute(
            sql: """
                INSERT INTO users (id, email, password, created_at, proved_at) VALUES (?, ?, ?, ?, ?) \
                ON CONFLICT(email) DO NOTHING
                """,
            arguments: [
                user.id.data, user.email?.text, user.password, now.milliseconds, user.isProved ? now.milliseconds : nil,
            ]
        )
        return database.changesCount == 1
    }

    /// Stores a password: another one, or the same under other parameters.
    static func setPassword(_ password: String, of id: UUID, in database: Database) throws {
        try database.execute(
            sql: "UPDATE users SET password = ? WHERE id = ?",
            arguments: [password, id.data]
        )
    }

    /// Gives an account that has none the address that its owner has proved to read.
    static func setEmail(_ email: EmailAddress, of id: UUID, at now: Timestamp, in database: Database) throws {
        try database.execute(
            sql: "UPDATE users SET email = ?, proved_at = ? WHERE id = ? AND email IS NULL",
            arguments: [email.text, now.milliseconds, id.data]
        )
    }

    /// Notes that the account's owner reads its address, and takes away every other way in that somebody chose before.
    static func prove(_ id: UUID, at now: Timestamp, in database: Database) throws {
        try database.execute(
            sql: "UPDATE users SET password = NULL, proved_at = ? WHERE id = ?",
            arguments: [now.milliseconds, id.data]
        )
        try database.execute(sql: "DELETE FROM apple_accounts WHERE user = ?", arguments: [id.data])
    }

    private static func user(_ row: Row) throws -> User {
        let email = try (row[1] as String?).map { text in
            guard let email = EmailAddress(text) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an account with a damaged address")
            }
            return email
        }
        return User(id: try UUID(data: row[0]), email: email, password: row[2], isProved: (row[3] as Int64?) != nil)
    }
}
