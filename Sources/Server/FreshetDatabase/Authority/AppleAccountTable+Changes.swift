// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine

extension AppleAccountTable {
    /// Links a `sub` to an account, so that its owner can sign in with Apple.
    package static func insert(
        _ subject: String,
        at now: Timestamp,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws {
        try database.execute(
            #"INSERT INTO apple_accounts (sub, "user", linked_at) VALUES (?, ?, ?)"#,
            [subject, authority.user, now]
        )
    }

    /// Removes the account's link to a `sub`.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    package static func delete(by authority: borrowing AccountAuthority, in database: any SQLConnection) throws -> Bool
    {
        try database.execute(#"DELETE FROM apple_accounts WHERE "user" = ?"#, [authority.user]) > 0
    }

    /// Stores the time since which Apple's relay has not forwarded mail to the user; `nil` if it forwards mail.
    package static func setEmailDisabled(
        _ moment: Timestamp?,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws {
        try database.execute(
            #"UPDATE apple_accounts SET mail_off_at = ? WHERE "user" = ?"#,
            [moment, authority.user]
        )
    }
}
