// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine

/// Reads and writes the accounts that are linked to a `sub` of Apple's.
package enum AppleAccountTable {
    /// Returns the account of a `sub`.
    package static func user(of subject: String, in database: any SQLConnection) throws -> User? {
        let sql = #"SELECT "user" FROM apple_accounts WHERE sub = ?"#
        return try database.row(sql, [subject]) { try $0[0] }.flatMap { try UserTable.find($0, in: database) }
    }

    /// Returns the time at which the user of a `sub` last consented to sign in to its account.
    package static func linkedAt(_ subject: String, in database: any SQLConnection) throws -> Timestamp? {
        try database.row("SELECT linked_at FROM apple_accounts WHERE sub = ?", [subject]) { try $0[0] }
    }

    /// Records a later consent of the user of a `sub`.
    package static func confirm(_ subject: String, at consent: Timestamp, in database: any SQLConnection) throws {
        let sql = "UPDATE apple_accounts SET linked_at = ? WHERE sub = ? AND linked_at < ?"
        try database.execute(sql, [consent, subject, consent])
    }

    /// Returns whether an account is linked to a `sub`.
    package static func isLinked(_ user: UUID, in database: any SQLConnection) throws -> Bool {
        try database.has(#"SELECT 1 FROM apple_accounts WHERE "user" = ?"#, [user])
    }

    /// Stores the newest address that Apple verified, if a token has one.
    package static func keepEmail(_ email: EmailAddress?, of subject: String, in database: any SQLConnection) throws {
        guard let email else { return }
        try database.execute(
            "UPDATE apple_accounts SET email = ? WHERE sub = ? AND email IS DISTINCT FROM ?",
            [email, subject, email]
        )
    }

    /// Returns the address at which mail reaches an account's owner, according to Apple.
    package static func mailAddress(of user: UUID, in database: any SQLConnection) throws -> EmailAddress? {
        let sql = #"SELECT email FROM apple_accounts WHERE "user" = ? AND mail_off_at IS NULL"#
        return try database.row(sql, [user]) { row in (try row[0] as String?).map(EmailAddress.init(stored:)) } ?? nil
    }
}
