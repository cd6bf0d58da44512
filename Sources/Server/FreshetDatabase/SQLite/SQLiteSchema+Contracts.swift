// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB

extension SQLiteSchema {
    /// What contracts ask for beyond the native contract.
    static func registerContracts(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("3 dialects, numbers of users, Apple accounts") { database in
            try database.execute(
                sql: """
                    -- An account that Apple opened has no address to sign in with; SQLite drops no NOT NULL in place.
                    CREATE TABLE users_3 (
                        id BLOB NOT NULL PRIMARY KEY,
                        email TEXT UNIQUE,
                        password TEXT,
                        created_at INTEGER NOT NULL,
                        proved_at INTEGER
                    ) WITHOUT ROWID;
                    INSERT INTO users_3 SELECT id, email, password, created_at, proved_at FROM users;
                    DROP TABLE users;
                    ALTER TABLE users_3 RENAME TO users;

                    CREATE TABLE user_numbers (         -- for apps that know their users by a number
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        user BLOB NOT NULL UNIQUE
                    );
                    INSERT INTO user_numbers (user) SELECT id FROM users ORDER BY created_at, id;
                    -- Every account has its number from the start, whoever makes it.
                    CREATE TRIGGER users_number AFTER INSERT ON users BEGIN
                        INSERT INTO user_numbers (user) VALUES (new.id);
                    END;

                    CREATE TABLE apple_accounts (
                        sub TEXT NOT NULL PRIMARY KEY,
                        user BLOB NOT NULL UNIQUE,
                        email TEXT                      -- as Apple verified it; it opens no door
                    ) WITHOUT ROWID;

                    ALTER TABLE sessions ADD COLUMN dialect TEXT;   -- whose sign-in opened it; NULL: the native contract
                    """
            )
        }
    }
}
