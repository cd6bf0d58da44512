// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
import FreshetWire

/// An account.
package struct User: Equatable, Sendable, Masked {
    package var id: UUID
    /// The address for signing in; `nil` if the account signs in with Apple only.
    package var email: EmailAddress?
    /// A PHC string; `nil` without a password.
    package var password: String?
    /// Whether a code proved that the account's owner reads its address.
    package var isEmailVerified = false

    package init(id: UUID, email: EmailAddress? = nil, password: String? = nil, isEmailVerified: Bool = false) {
        self.id = id
        self.email = email
        self.password = password
        self.isEmailVerified = isEmailVerified
    }

    var mask: String { "User(\(email?.text ?? SessionID(id).description))" }
}

/// Reads and writes accounts.
package enum UserTable {
    package static func find(_ email: EmailAddress, in database: any SQLConnection) throws -> User? {
        let sql = "SELECT id, email, password, proved_at FROM users WHERE email = ?"
        return try database.row(sql, [email], user)
    }

    /// Returns an account's id and password hash.
    ///
    /// It reads no more of the account: reading all of one takes longer than finding none.
    package static func password(of email: EmailAddress, in database: any SQLConnection) throws -> (
        id: UUID, phc: String?
    )? {
        try database.row("SELECT id, password FROM users WHERE email = ?", [email]) { (id: try $0[0], phc: try $0[1]) }
    }

    /// Returns whether an account exists, in the same time either way.
    ///
    /// Reading a whole account would take longer than finding none.
    package static func has(_ email: EmailAddress, in database: any SQLConnection) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM users WHERE email = ?)"
        return try database.row(sql, [email]) { try $0[0] } ?? false
    }

    package static func find(_ id: UUID, in database: any SQLConnection) throws -> User? {
        let sql = "SELECT id, email, password, proved_at FROM users WHERE id = ?"
        return try database.row(sql, [id], user)
    }

    /// Returns an account's address, and the time at which its devices were last forgotten.
    package static func devices(of id: UUID, in database: any SQLConnection) throws -> (
        email: EmailAddress?, forgottenAt: Timestamp?
    )? {
        try database.row("SELECT email, devices_forgotten_at FROM users WHERE id = ?", [id]) {
            (email: (try $0[0] as String?).map(EmailAddress.init(stored:)), forgottenAt: try $0[1])
        }
    }

    /// Returns the time at which the devices of an address's account were last forgotten.
    package static func devicesForgottenAt(_ email: EmailAddress, in database: any SQLConnection) throws -> Timestamp? {
        try database.row("SELECT devices_forgotten_at FROM users WHERE email = ?", [email]) { try $0[0] as Timestamp? }
            ?? nil
    }

    /// Returns the addresses at which mail reaches an account's owner: its own, and the one that Apple verified.
    ///
    /// A person who adds an address to the account is not the only one to be told.
    package static func mailAddresses(of id: UUID, in database: any SQLConnection) throws -> [EmailAddress] {
        let own = try devices(of: id, in: database)?.email
        let apple = try AppleAccountTable.mailAddress(of: id, in: database)
        return [own, apple == own ? nil : apple].compactMap(\.self)
    }

    /// Adds an account.
    ///
    /// - Returns: `false` if the address has an account already.
    package static func insert(_ user: User, at now: Timestamp, in database: any SQLConnection) throws -> Bool {
        try database.execute(
            """
            INSERT INTO users (id, email, password, created_at, proved_at) VALUES (?, ?, ?, ?, ?) \
            ON CONFLICT (email) DO NOTHING
            """,
            [user.id, user.email, user.password, now, user.isEmailVerified ? now : nil]
        ) == 1
    }

    private static func user(_ row: any SQLRow) throws -> User {
        User(
            id: try row[0],
            email: (try row[1] as String?).map(EmailAddress.init(stored:)),
            password: try row[2],
            isEmailVerified: !row.isNull(3)
        )
    }
}
