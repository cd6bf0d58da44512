// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// The data of an account that apps display.
package struct AccountSummary: Equatable, Sendable {
    /// A number that is stable for the life of the account, and never reused.
    package var number: Int64
    /// The address with which the user signs in, or the one that Apple verified.
    package var email: String?
    /// The name in the app, as the user chose it.
    var username: String?
    /// The full name, from the user or from Apple.
    package var name: String?
    package var hasProfile: Bool

    /// The name in the app: the one that the user chose, or else the part of the address before the `@`.
    package var shownUsername: String? { username ?? email.map { String($0.unicodeScalars.prefix { $0 != "@" }) } }

    /// Reads an account's summary in one query.
    ///
    /// - Returns: `nil` if the account was deleted.
    package static func find(_ user: UUID, in database: any SQLConnection) throws -> AccountSummary? {
        let sql = """
            SELECT user_numbers.number, coalesce(users.email, apple_accounts.email), users.username, users.name, \
            users.profile_at IS NOT NULL FROM users \
            JOIN user_numbers ON user_numbers."user" = users.id \
            LEFT JOIN apple_accounts ON apple_accounts."user" = users.id WHERE users.id = ?
            """
        return try database.row(sql, [user]) {
            AccountSummary(
                number: try $0[0],
                email: try $0[1],
                username: try $0[2],
                name: try $0[3],
                hasProfile: try $0[4]
            )
        }
    }
}
