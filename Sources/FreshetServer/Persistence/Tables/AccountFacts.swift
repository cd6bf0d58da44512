// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

/// What apps show of an account.
struct AccountFacts: Equatable, Sendable {
    /// Stable for the life of the account, and never given to another one.
    var number: Int64
    /// The address it signs in with, or the one that Apple vouched for.
    var email: String?

    /// Reads them in one look.
    ///
    /// - Returns: `nil` if the account is gone.
    static func find(_ user: UUID, in database: any SQLConnection) throws -> AccountFacts? {
        let sql = """
            SELECT user_numbers.number, coalesce(users.email, apple_accounts.email) FROM users \
            JOIN user_numbers ON user_numbers."user" = users.id \
            LEFT JOIN apple_accounts ON apple_accounts."user" = users.id WHERE users.id = ?
            """
        return try database.row(sql, [user]) { AccountFacts(number: try $0[0], email: try $0[1]) }
    }
}
