// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB

extension SQLiteSchema {
    /// Sessions lie in the order in which they came, those from before in that of their ids, and a narrow index leads to them.
    ///
    /// Without row numbers every page on the way to a row held whole rows, fourteen of them, and was two thirds full. What the revocation
    /// feed goes by names the id, too, which had been in every index. The columns are those of the steps before, written out once more:
    /// no step may change with another one.
    static func registerNumberedSessions(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("11 sessions in the order they came") { database in
            try database.execute(
                sql: """
                    CREATE TABLE numbered_sessions (    -- PROTOCOL.md, "Server row"
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
                        device TEXT NOT NULL,           -- JSON, see StoredDevice
                        dialect TEXT,                   -- whose sign-in opened it; NULL: the native contract
                        place TEXT,                     -- where the sign-in came from
                        method TEXT,                    -- how: password, code, apple
                        run_since INTEGER,              -- a run of refreshes; NULL: none
                        run_at INTEGER,                 -- of its last refresh
                        run_times INTEGER,
                        run_generation INTEGER,
                        run_source BLOB                 -- an address, four bytes or sixteen
                    );
                    INSERT INTO numbered_sessions SELECT * FROM sessions;
                    DROP TABLE sessions;
                    ALTER TABLE numbered_sessions RENAME TO sessions;
                    CREATE INDEX sessions_user ON sessions(user);
                    CREATE INDEX sessions_ended ON sessions(ended_at, id) WHERE ended_at IS NOT NULL;
                    """
            )
        }
    }
}
