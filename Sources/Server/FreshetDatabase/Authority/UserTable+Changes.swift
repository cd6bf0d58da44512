// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
package import FreshetWire

extension UserTable {
    /// Stores the hash of a new password, or of the same password with other parameters.
    package static func setPassword(
        _ password: String,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws {
        try database.execute(
            "UPDATE users SET password = ? WHERE id = ?",
            [password, authority.user]
        )
    }

    /// Adds an address, proved by its owner, to an account that has none.
    package static func setEmail(
        _ code: borrowing VerifiedCode,
        at now: Timestamp,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws {
        try database.execute(
            "UPDATE users SET email = ?, proved_at = ? WHERE id = ? AND email IS NULL",
            [code.row.email, now, authority.user]
        )
    }

    /// Marks the address as verified, and removes all sign-in methods that were set up before, and all devices.
    package static func markEmailVerified(
        at now: Timestamp,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws {
        try database.execute(
            "UPDATE users SET password = NULL, proved_at = ? WHERE id = ?",
            [now, authority.user]
        )
        try database.execute(#"DELETE FROM apple_accounts WHERE "user" = ?"#, [authority.user])
        try database.execute(#"DELETE FROM known_devices WHERE "user" = ?"#, [authority.user])
        try forgetDevices(keeping: nil, at: now, by: authority, in: database)
    }

    /// Forgets the devices and networks from which the account was used, as their users may have had its password only.
    ///
    /// A session that is active, and that the caller does not end, remains one of a known device.
    ///
    /// - Parameters:
    ///   - network: The network from which the owner has just proved an identity, which the account still knows.
    ///   - now: The time at which the caller ends sessions.
    ///   - authority: The right to change the account.
    ///   - database: The transaction.
    /// - Throws: The database's errors.
    package static func forgetDevices(
        keeping network: String?,
        at now: Timestamp,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws {
        try database.execute("UPDATE users SET devices_forgotten_at = ? WHERE id = ?", [now, authority.user])
        guard let email = try devices(of: authority.user, in: database)?.email else { return }
        try KnownNetworkTable.accounts.replaceAll(of: email, with: network, at: now, in: database)
    }

    /// Disables or enables an account; its sessions do not change.
    package static func setDisabled(
        _ moment: Timestamp?,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws {
        try database.execute(
            "UPDATE users SET disabled_at = ? WHERE id = ?",
            [moment, authority.user]
        )
    }

    /// Deletes an account and all its sign-in methods.
    package static func delete(by authority: borrowing AccountAuthority, in database: any SQLConnection) throws {
        let id = authority.user
        let email = try find(id, in: database)?.email?.text
        try database.execute("DELETE FROM code_attempts WHERE email = ?", [email])
        try database.execute("DELETE FROM known_networks WHERE email = ?", [email])
        try database.execute(#"DELETE FROM apple_accounts WHERE "user" = ?"#, [id])
        try database.execute(#"DELETE FROM user_numbers WHERE "user" = ?"#, [id])
        try database.execute(#"DELETE FROM known_devices WHERE "user" = ?"#, [id])
        try database.execute("DELETE FROM users WHERE id = ?", [id])
    }

    /// Creates or changes the account's profile; fields that `profile` leaves out do not change.
    package static func setProfile(
        _ profile: Profile,
        at now: Timestamp,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws {
        try database.execute(
            """
            UPDATE users SET profile_at = coalesce(profile_at, ?), username = coalesce(?, username), \
            name = coalesce(?, name) WHERE id = ?
            """,
            [now, profile.username, profile.name, authority.user]
        )
    }

    /// Deletes the account's profile and its names.
    package static func deleteProfile(by authority: borrowing AccountAuthority, in database: any SQLConnection) throws {
        try database.execute(
            "UPDATE users SET profile_at = NULL, username = NULL, name = NULL WHERE id = ?",
            [authority.user]
        )
    }
}
