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

    static func insert(_ subject: String, user: UUID, in database: Database) throws {
        try database.execute(
            sql: "INSERT INTO apple_accounts (sub, user) VALUES (?, ?)",
            arguments: [subject, user.data]
        )
    }

    /// Keeps the newest address that Apple vouched for.
    static func setEmail(_ email: EmailAddress, of subject: String, in database: Database) throws {
        try database.execute(
            sql: "UPDATE apple_accounts SET email = ? WHERE sub = ? AND email IS NOT ?",
            arguments: [email.text, subject, email.text]
        )
    }
}
