// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB

extension SQLiteSchema {
    /// The first sign-in of an account, and the profile that an app keeps of its user.
    static func registerProfiles(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("16 profiles") { database in
            // Accounts of before are taken to have signed in: no app shows them its first steps again.
            try database.execute(
                sql: """
                    ALTER TABLE users ADD COLUMN first_session BLOB;    -- of the first sign-in; NULL: there was none yet
                    ALTER TABLE users ADD COLUMN profile_at INTEGER;    -- when the profile was made; NULL: there is none
                    ALTER TABLE users ADD COLUMN username TEXT;
                    ALTER TABLE users ADD COLUMN name TEXT;             -- the full name, as the user or Apple gave it
                    UPDATE users SET first_session = x'00';
                    """
            )
        }
    }
}
