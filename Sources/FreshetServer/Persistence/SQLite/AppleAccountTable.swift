// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import GRDB

/// Reads and writes which account belongs to which `sub` of Apple's.
enum AppleAccountTable {
    /// The account of a `sub`.
    static func user(of subject: String, in database: Database) throws -> User? {
        let sql = "SELECT user FROM apple_accounts WHERE sub = ?"
        guard let row = try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [subject]) else { return nil }
        return try UserTable.find(try UUID(data: row[0]), in: database)
    }

    /// When a `sub` was joined to its account.
    static func linkedAt(_ subject: String, in database: Database) throws -> Timestamp? {
        let sql = "SELECT linked_at FROM apple_accounts WHERE sub = ?"
        return try Int64.fetchOne(database, sql: sql, arguments: [subject]).map { Timestamp(milliseconds: $0) }
    }

    /// Whether an account has a `sub` already.
    static func isLinked(_ user: UUID, in database: Database) throws -> Bool {
        let sql = "SELECT 1 FROM apple_accounts WHERE user = ?"
        return try Int.fetchOne(database.cachedStatement(sql: sql), arguments: [user.data]) != nil
    }

    static func insert(_ subject: String, user: UUID, at now: Timestamp, in database: Database) throws {
        try database.execute(
            sql: "INSERT INTO apple_accounts (sub, user, linked_at) VALUES (?, ?, ?)",
            arguments: [subject, user.data, now.milliseconds]
        )
    }

    static func delete(_ subject: String, in database: Database) throws {
        try database.execute(sql: "DELETE FROM apple_accounts WHERE sub = ?", arguments: [subject])
    }

    /// Keeps the newest address that Apple vouched for.
    static func setEmail(_ email: EmailAddress, of subject: String, in database: Database) throws {
        try database.execute(
            sql: "UPDATE apple_accounts SET email = ? WHERE sub = ? AND email IS NOT ?",
            arguments: [email.text, subject, email.text]
        )
    }

    /// Notes since when Apple's relay forwards nothing to the person; `nil`: it does.
    static func setMailOff(_ moment: Timestamp?, of subject: String, in database: Database) throws {
        try database.execute(
            sql: "UPDATE apple_accounts SET mail_off_at = ? WHERE sub = ?",
            arguments: [moment?.milliseconds, subject]
        )
    }

    /// Where mail for an account reaches its owner, as far as Apple says.
    static func mailAddress(of user: UUID, in database: Database) throws -> EmailAddress? {
        let sql = "SELECT email FROM apple_accounts WHERE user = ? AND mail_off_at IS NULL"
        return try String.fetchOne(database.cachedStatement(sql: sql), arguments: [user.data])
            .flatMap { EmailAddress($0) }
    }
}
