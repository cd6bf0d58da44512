// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetWire

extension UserTable {
    /// Records a session as that of the account's first sign-in, if there was none before.
    ///
    /// - Returns: The account's data for the response to the sign-in.
    package static func recordSignIn(
        _ user: UUID,
        opening session: SessionID,
        in database: any SQLConnection
    ) throws -> SignInSummary {
        let sql = "UPDATE users SET first_session = ? WHERE id = ? AND first_session IS NULL"
        try database.execute(sql, [session, user])
        return try signInFacts(user, opening: session, in: database)
    }

    /// Returns the account's data for the response to the sign-in that opened a session.
    ///
    /// A client that retries after a lost response gets the same data.
    package static func signInFacts(
        _ user: UUID,
        opening session: SessionID,
        in database: any SQLConnection
    ) throws -> SignInSummary {
        let sql = "SELECT coalesce(first_session = ?, FALSE), profile_at IS NOT NULL FROM users WHERE id = ?"
        let facts = try database.row(sql, [session, user]) {
            SignInSummary(isFirst: try $0[0], hasProfile: try $0[1])
        }
        return facts ?? SignInSummary(isFirst: false, hasProfile: false)
    }

    package static func profile(of user: UUID, in database: any SQLConnection) throws -> Profile? {
        try database.row("SELECT username, name FROM users WHERE id = ? AND profile_at IS NOT NULL", [user]) {
            Profile(username: try $0[0], name: try $0[1])
        }
    }

    /// Stores the full name that came with a sign-in with Apple, if the account has none.
    ///
    /// Apple sends a user's name once, to the app and not in the identity token, so it is unverified. It creates no
    /// profile.
    package static func keepName(_ name: String, of user: UUID, in database: any SQLConnection) throws {
        try database.execute("UPDATE users SET name = ? WHERE id = ? AND name IS NULL", [name, user])
    }
}

/// The account's data in the response to a sign-in.
package struct SignInSummary: Equatable, Sendable {
    /// Whether the account never signed in before.
    package var isFirst: Bool
    package var hasProfile: Bool
}
