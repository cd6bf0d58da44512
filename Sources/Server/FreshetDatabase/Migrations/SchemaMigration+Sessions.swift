// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SchemaMigration {
    /// The current streak of refreshes, stored in its session's row until another one replaces it.
    static let sessionStreaks = SchemaMigration(
        number: 10,
        name: "add run_since, run_at, run_times, run_generation and run_source to sessions",
        recordedAs: "10 runs in their session's row",
        isOnlineSafe: true,
        sqlite: """
            ALTER TABLE sessions ADD COLUMN run_since INTEGER;  -- NULL: no run
            ALTER TABLE sessions ADD COLUMN run_at INTEGER;     -- of its last refresh
            ALTER TABLE sessions ADD COLUMN run_times INTEGER;
            ALTER TABLE sessions ADD COLUMN run_generation INTEGER;
            ALTER TABLE sessions ADD COLUMN run_source BLOB;    -- an address, four bytes or sixteen
            """,
        postgres: """
            ALTER TABLE sessions ADD COLUMN run_since BIGINT;   -- NULL: no run
            ALTER TABLE sessions ADD COLUMN run_at BIGINT;      -- of its last refresh
            ALTER TABLE sessions ADD COLUMN run_times BIGINT;
            ALTER TABLE sessions ADD COLUMN run_generation BIGINT;
            ALTER TABLE sessions ADD COLUMN run_source BYTEA;   -- an address, four bytes or sixteen
            """
    )

    /// A `sessions` table that takes less space.
    ///
    /// SQLite stores the rows in the order of their creation (existing ones in the order of their ids), with a narrow
    /// index on the id. In the former `WITHOUT ROWID` table, interior pages held fourteen whole rows and were two
    /// thirds full. The index for the revocation feed names the id, which every index of a `WITHOUT ROWID` table
    /// contains. The columns are listed in full, because a migration must not depend on the code of another one.
    ///
    /// PostgreSQL has the same columns, the widest first to avoid padding, and none wider than its values. A tenth of
    /// each page is free for updated rows.
    static let compactSessions = SchemaMigration(
        number: 11,
        name: "rewrite sessions in less space",
        recordedAs: (sqlite: "11 sessions in the order they came", postgres: "12 sessions in less room"),
        isOnlineSafe: false,
        sqlite: """
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
            """,
        postgres: """
            CREATE TABLE narrow_sessions (      -- PROTOCOL.md, "Server row"
                created_at BIGINT NOT NULL,
                bound_at BIGINT NOT NULL,
                proved_at BIGINT NOT NULL,
                last_used_at BIGINT NOT NULL,
                idle_end BIGINT NOT NULL,
                absolute_end BIGINT NOT NULL,
                ended_at BIGINT,
                run_since BIGINT,               -- a run of refreshes; NULL: none
                run_at BIGINT,                  -- of its last refresh
                cur INTEGER NOT NULL,
                branch INTEGER NOT NULL,
                next INTEGER NOT NULL,
                run_times INTEGER,
                run_generation INTEGER,
                mode SMALLINT NOT NULL,
                successor_kid SMALLINT NOT NULL,
                id BYTEA NOT NULL PRIMARY KEY,
                "user" BYTEA NOT NULL,
                salt BYTEA NOT NULL,
                intent BYTEA,
                run_source BYTEA,               -- an address, four bytes or sixteen
                device JSON NOT NULL,           -- see StoredDevice
                reason TEXT,
                dialect TEXT,                   -- whose sign-in opened it; NULL: the native contract
                place TEXT,                     -- where the sign-in came from
                method TEXT                     -- how: password, code, apple
            ) WITH (fillfactor = 90);
            INSERT INTO narrow_sessions (created_at, bound_at, proved_at, last_used_at, idle_end, absolute_end, ended_at,
                run_since, run_at, cur, branch, next, run_times, run_generation, mode, successor_kid, id, "user", salt, intent,
                run_source, device, reason, dialect, place, method)
                SELECT created_at, bound_at, proved_at, last_used_at, idle_end, absolute_end, ended_at, run_since, run_at, cur,
                branch, next, run_times, run_generation, mode, successor_kid, id, "user", salt, intent, run_source, device, reason,
                dialect, place, method FROM sessions;
            DROP TABLE sessions;
            ALTER TABLE narrow_sessions RENAME TO sessions;
            ALTER INDEX narrow_sessions_pkey RENAME TO sessions_pkey;
            CREATE INDEX sessions_user ON sessions ("user");
            CREATE INDEX sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL;
            """
    )
}
