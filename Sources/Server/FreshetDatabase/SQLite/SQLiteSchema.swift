// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB

/// The tables, as a list of steps that are never edited once they were released.
enum SQLiteSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 users, sessions, codes") { database in
            try database.execute(
                sql: """
                    CREATE TABLE users (
                        id BLOB NOT NULL PRIMARY KEY,
                        email TEXT NOT NULL UNIQUE,
                        password TEXT,                  -- PHC string; NULL: no login by password
                        created_at INTEGER NOT NULL     -- milliseconds since 1970, as all times
                    ) WITHOUT ROWID;

                    CREATE TABLE sessions (             -- PROTOCOL.md, "Server row"
                        id BLOB NOT NULL PRIMARY KEY,
                        user BLOB NOT NULL,
                        salt BLOB NOT NULL,
                        mode INTEGER NOT NULL,
                        cur INTEGER NOT NULL,
                        branch INTEGER NOT NULL,
                        intent BLOB,
                        next INTEGER NOT NULL,
                        successor_kid INTEGER NOT NULL,
                        bound_at INTEGER NOT NULL,
                        proved_at INTEGER NOT NULL,
                        created_at INTEGER NOT NULL,
                        last_used_at INTEGER NOT NULL,
                        idle_end INTEGER NOT NULL,
                        absolute_end INTEGER NOT NULL,
                        ended_at INTEGER,
                        reason TEXT,
                        device TEXT NOT NULL            -- JSON, see StoredDevice
                    ) WITHOUT ROWID;
                    CREATE INDEX sessions_user ON sessions(user);
                    CREATE INDEX sessions_ended ON sessions(ended_at) WHERE ended_at IS NOT NULL;

                    CREATE TABLE code_attempts (
                        id TEXT NOT NULL PRIMARY KEY,
                        email TEXT NOT NULL,
                        code_hash BLOB NOT NULL,
                        expires_at INTEGER NOT NULL,
                        failures INTEGER NOT NULL,
                        session BLOB,                   -- what the code was used for
                        intent BLOB
                    ) WITHOUT ROWID;
                    CREATE INDEX code_attempts_email ON code_attempts(email);
                    CREATE INDEX code_attempts_expiry ON code_attempts(expires_at);
                    """
            )
        }
        migrator.registerMigration("2 proved addresses") { database in
            // An account without a password was made by a code, which proved its address.
            try database.execute(
                sql: """
                    ALTER TABLE users ADD COLUMN proved_at INTEGER;     -- NULL: nobody has shown to read this address
                    UPDATE users SET proved_at = created_at WHERE password IS NULL;
                    """
            )
        }
        registerContracts(&migrator)
        registerLimits(&migrator)
        registerEvents(&migrator)
        registerPages(&migrator)
        registerFigures(&migrator)
        registerRuns(&migrator)
        registerSteadyIndices(&migrator)
        registerOpenRuns(&migrator)
        registerNumberedSessions(&migrator)
        registerKeysInUse(&migrator)
        registerMailQueue(&migrator)
        registerKnownNetworks(&migrator)
        registerProfiles(&migrator)
        return migrator
    }
}
