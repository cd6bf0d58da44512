// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB

extension SQLiteSchema {
    /// The audit trail, accounts that are disabled, and what the clean-up remembers.
    static func registerEvents(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("5 events, disabled users, housekeeping") { database in
            try database.execute(
                sql: """
                    CREATE TABLE events (
                        id INTEGER PRIMARY KEY,
                        at INTEGER NOT NULL,
                        kind TEXT NOT NULL,
                        plain INTEGER NOT NULL,         -- 1: says only that all is well, and is forgotten first
                        user BLOB,
                        session BLOB,
                        outcome TEXT,
                        reason TEXT,
                        generation INTEGER,
                        by_session BLOB,
                        source TEXT,
                        client TEXT
                    );
                    CREATE INDEX events_session ON events(session, at) WHERE session IS NOT NULL;
                    CREATE INDEX events_user ON events(user, at) WHERE user IS NOT NULL AND plain = 0;
                    CREATE INDEX events_age ON events(plain, at);

                    ALTER TABLE users ADD COLUMN disabled_at INTEGER;   -- NULL: may sign in

                    CREATE TABLE housekeeping (
                        name TEXT NOT NULL PRIMARY KEY,
                        value INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    """
            )
        }
    }

    /// A run of a session's ordinary refreshes is one row.
    static func registerRuns(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("8 runs of refreshes") { database in
            try database.execute(
                sql: """
                    ALTER TABLE events ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
                    ALTER TABLE events ADD COLUMN since INTEGER;        -- of the first of a run; at is of the last
                    """
            )
        }
    }

    /// One more of a run changes its row and no index.
    static func registerSteadyIndices(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("9 indices that a run leaves alone") { database in
            try database.execute(
                sql: """
                    DROP INDEX events_session;
                    CREATE INDEX events_session ON events(session) WHERE session IS NOT NULL;
                    DROP INDEX events_age;
                    CREATE INDEX events_age ON events(plain, coalesce(since, at));
                    """
            )
        }
    }

    /// A run of refreshes is in its session's row until another one takes its place.
    static func registerOpenRuns(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("10 runs in their session's row") { database in
            try database.execute(
                sql: """
                    ALTER TABLE sessions ADD COLUMN run_since INTEGER;  -- NULL: no run
                    ALTER TABLE sessions ADD COLUMN run_at INTEGER;     -- of its last refresh
                    ALTER TABLE sessions ADD COLUMN run_times INTEGER;
                    ALTER TABLE sessions ADD COLUMN run_generation INTEGER;
                    ALTER TABLE sessions ADD COLUMN run_source BLOB;    -- an address, four bytes or sixteen
                    """
            )
        }
    }
}
