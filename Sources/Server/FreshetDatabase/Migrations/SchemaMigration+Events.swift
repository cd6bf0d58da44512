// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SchemaMigration {
    /// The audit trail, disabled accounts, and the state of the clean-up service.
    static let auditTrail = SchemaMigration(
        number: 5,
        name: "create events and housekeeping, add users.disabled_at",
        recordedAs: "5 events, disabled users, housekeeping",
        isOnlineSafe: true,
        sqlite: """
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
            """,
        postgres: """
            CREATE TABLE events (
                id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                at BIGINT NOT NULL,
                kind TEXT NOT NULL,
                plain BIGINT NOT NULL,          -- 1: says only that all is well, and is forgotten first
                "user" BYTEA,
                session BYTEA,
                outcome TEXT,
                reason TEXT,
                generation BIGINT,
                by_session BYTEA,
                source TEXT,
                client TEXT
            ) WITH (fillfactor = 80);           -- one more of a run changes no index, and finds room on its page
            CREATE INDEX events_session ON events (session) WHERE session IS NOT NULL;
            CREATE INDEX events_user ON events ("user") WHERE "user" IS NOT NULL AND plain = 0;
            ALTER TABLE users ADD COLUMN disabled_at BIGINT;    -- NULL: may sign in
            CREATE TABLE housekeeping (
                name TEXT NOT NULL PRIMARY KEY,
                value BIGINT NOT NULL
            );
            """
    )

    /// Streaks of ordinary refreshes, each stored as one row of the audit trail.
    static let eventStreaks = SchemaMigration(
        number: 8,
        name: "add events.times and events.since",
        recordedAs: "8 runs of refreshes",
        isOnlineSafe: true,
        sqlite: """
            ALTER TABLE events ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
            ALTER TABLE events ADD COLUMN since INTEGER;        -- of the first of a run; at is of the last
            """,
        postgres: """
            ALTER TABLE events ADD COLUMN times BIGINT NOT NULL DEFAULT 1;
            ALTER TABLE events ADD COLUMN since BIGINT;     -- of the first of a run; at is of the last
            -- What old ones are found by: at moves with each refresh, and an index on it would with it.
            ALTER TABLE events ADD COLUMN born BIGINT GENERATED ALWAYS AS (coalesce(since, at)) STORED;
            CREATE INDEX events_age ON events (plain, born);
            """
    )

    /// Indexes of events without the columns that a streak updates.
    ///
    /// In PostgreSQL ids never change, so an index on them finds the last event of a session.
    static let stableEventIndexes = SchemaMigration(
        number: 9,
        name: "recreate the indexes of events without columns that change often",
        recordedAs: "9 indices that a run leaves alone",
        isOnlineSafe: true,
        sqlite: """
            DROP INDEX events_session;
            CREATE INDEX events_session ON events(session) WHERE session IS NOT NULL;
            DROP INDEX events_age;
            CREATE INDEX events_age ON events(plain, coalesce(since, at));
            """,
        postgres: """
            DROP INDEX events_session;
            CREATE INDEX events_session ON events (session, id) WHERE session IS NOT NULL;
            """
    )
}
