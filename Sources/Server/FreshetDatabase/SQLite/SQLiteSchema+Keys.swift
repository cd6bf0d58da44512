// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB

extension SQLiteSchema {
    /// What tells a server that a key is missing which sessions rest on, and a lost database from a new one.
    static func registerKeysInUse(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("13 keys in use") { database in
            try database.execute(
                sql: """
                    CREATE TABLE key_fingerprints (
                        kind TEXT NOT NULL,                 -- mac, code, es256
                        id INTEGER NOT NULL,
                        fingerprint BLOB,                   -- a one-way digest; NULL: retired before digests were kept
                        retired_at INTEGER,                 -- NULL: sessions may rest on it
                        PRIMARY KEY (kind, id)
                    ) WITHOUT ROWID;
                    CREATE TABLE database_identity (
                        place INTEGER NOT NULL PRIMARY KEY CHECK (place = 1),
                        id BLOB NOT NULL                    -- random; the folder of keys has a copy
                    );
                    """
            )
        }
    }
}
