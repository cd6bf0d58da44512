// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// PostgreSQL's tables, step by step; the steps are SQLite's, by name, but for those that each has for itself.
enum PostgresSchema {
    /// Keeps two servers that start at one moment from taking the same step.
    private static let lock = 0x6672_6573_6865

    /// Takes the steps that are missing, all or none.
    ///
    /// - Parameters:
    ///   - connection: Whose database it is.
    ///   - onProgress: Told of them beforehand, unless the tables are made for the first time.
    /// - Returns: their names.
    /// - Throws: `StartupError` for a database that a newer version wrote.
    static func migrate(
        _ connection: PostgresConnection,
        _ onProgress: (StartupProgress) -> Void = { _ in }
    ) throws -> [String] {
        try refuseDistributedTables(connection)
        // Before the lock: another server that takes them keeps this one waiting as long.
        let ahead = try steps(connection).filter { !$0.isApplied }.map(\.name)
        if !ahead.isEmpty, ahead.count < all.count { onProgress(.migratesTables(ahead)) }
        // Writing many sessions anew takes longer than any statement may, and so does waiting for who is at it.
        let terms = "SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = 0"
        try connection.run("BEGIN; \(terms); SELECT pg_advisory_xact_lock(\(lock))")
        do {
            try connection.run("CREATE TABLE IF NOT EXISTS migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            let missing = try steps(connection).filter { !$0.isApplied }.map(\.name)
            for (name, sql) in all where missing.contains(name) {
                try connection.run(sql)
                try connection.execute("INSERT INTO migrations (identifier) VALUES (?)", [name])
            }
            try connection.run("COMMIT")
            return missing
        } catch {
            _ = try? connection.run("ROLLBACK")
            throw error
        }
    }

    /// Every step that this version knows.
    ///
    /// - Throws: `StartupError` for a database that a newer version wrote.
    static func steps(_ connection: PostgresConnection) throws -> [SchemaMigrator.Migration] {
        let isThere = try connection.row("SELECT to_regclass('migrations') IS NOT NULL") { try $0[0] as Bool } ?? false
        let done = isThere ? try connection.rows("SELECT identifier FROM migrations") { try $0[0] as String } : []
        if let unknown = Set(done).subtracting(all.map(\.name)).min() { throw DatabaseStartupError.newerSchema(unknown) }
        return all.map { step in
            SchemaMigrator.Migration(
                name: step.name,
                isApplied: done.contains(step.name),
                isOnlineSafe: SchemaMigrator.onlineSafe.contains(step.name)
            )
        }
    }

    static let all: [(name: String, sql: String)] = [
        ("1 users, sessions, codes", first), ("2 proved addresses", "ALTER TABLE users ADD COLUMN proved_at BIGINT"),
        ("3 dialects, numbers of users, Apple accounts", third),
        ("4 limits, spent proofs, places and devices of sign-ins", fourth),
        ("5 events, disabled users, housekeeping", fifth), ("6 sign-ins to pages", sixth),
        ("7 figures over time", seventh), ("8 runs of refreshes", eighth),
        ("9 indices that a run leaves alone", ninth), ("10 runs in their session's row", tenth),
        ("12 sessions in less room", twelfth), ("13 keys in use", keysInUse), ("14 mail queue", fourteenth),
        ("15 known networks", fifteenth), ("16 profiles", profiles),
    ]

    private static let first = """
        CREATE TABLE users (
            id BYTEA NOT NULL PRIMARY KEY,
            email TEXT UNIQUE,
            password TEXT,                  -- PHC string; NULL: no login by password
            created_at BIGINT NOT NULL      -- milliseconds since 1970, as all times
        );
        CREATE TABLE sessions (             -- PROTOCOL.md, "Server row"
            id BYTEA NOT NULL PRIMARY KEY,
            "user" BYTEA NOT NULL,
            salt BYTEA NOT NULL,
            mode BIGINT NOT NULL,
            cur BIGINT NOT NULL,
            branch BIGINT NOT NULL,
            intent BYTEA,
            next BIGINT NOT NULL,
            successor_kid BIGINT NOT NULL,
            bound_at BIGINT NOT NULL,
            proved_at BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            last_used_at BIGINT NOT NULL,
            idle_end BIGINT NOT NULL,
            absolute_end BIGINT NOT NULL,
            ended_at BIGINT,
            reason TEXT,
            device JSON NOT NULL            -- see StoredDevice
        ) WITH (fillfactor = 80);           -- a refresh changes no index, and finds room on its page
        CREATE INDEX sessions_user ON sessions ("user");
        CREATE INDEX sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL;
        CREATE TABLE code_attempts (
            id TEXT NOT NULL PRIMARY KEY,
            email TEXT NOT NULL,
            code_hash BYTEA NOT NULL,
            expires_at BIGINT NOT NULL,
            failures BIGINT NOT NULL,
            session BYTEA,                  -- what the code was used for
            intent BYTEA
        );
        CREATE INDEX code_attempts_email ON code_attempts (email);
        CREATE INDEX code_attempts_expiry ON code_attempts (expires_at);
        """

    private static let third = """
        CREATE TABLE user_numbers (         -- for apps that know their users by a number
            number BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            "user" BYTEA NOT NULL UNIQUE
        );
        -- Every account has its number from the start, whoever makes it.
        CREATE FUNCTION users_number() RETURNS trigger LANGUAGE plpgsql AS $body$
            BEGIN INSERT INTO user_numbers ("user") VALUES (new.id); RETURN new; END $body$;
        CREATE TRIGGER users_number AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION users_number();
        CREATE TABLE apple_accounts (
            sub TEXT NOT NULL PRIMARY KEY,
            "user" BYTEA NOT NULL UNIQUE,
            email TEXT                      -- as Apple verified it; it opens no door
        );
        ALTER TABLE sessions ADD COLUMN dialect TEXT;   -- whose sign-in opened it; NULL: the native contract
        """

    private static let fourth = """
        CREATE TABLE attempt_budgets (
            key TEXT NOT NULL PRIMARY KEY,  -- a digest: whose tries these are
            full_at BIGINT NOT NULL
        );
        CREATE INDEX attempt_budgets_full ON attempt_budgets (full_at);
        CREATE TABLE spent_proofs (         -- nonces and identity tokens that were used
            digest BYTEA NOT NULL PRIMARY KEY,
            expires_at BIGINT NOT NULL,
            session BYTEA,                  -- what it was used for
            intent BYTEA
        );
        CREATE INDEX spent_proofs_expiry ON spent_proofs (expires_at);
        CREATE TABLE known_devices (        -- kinds of device that an account was signed in on
            "user" BYTEA NOT NULL,
            device BYTEA NOT NULL,          -- a digest of platform, model and app
            first_seen BIGINT NOT NULL,
            PRIMARY KEY ("user", device)
        );
        ALTER TABLE sessions ADD COLUMN place TEXT;     -- where the sign-in came from
        ALTER TABLE sessions ADD COLUMN method TEXT;    -- how: password, code, apple
        ALTER TABLE code_attempts ADD COLUMN purpose TEXT NOT NULL DEFAULT 'login';
        ALTER TABLE apple_accounts ADD COLUMN linked_at BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE apple_accounts ADD COLUMN mail_off_at BIGINT;   -- the relay forwards nothing since then
        """

    private static let fifth = """
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

    private static let sixth = """
        CREATE TABLE page_sessions (
            digest BYTEA NOT NULL PRIMARY KEY,  -- of what the browser's cookie holds
            session BYTEA NOT NULL,             -- it lives as long as this does, and no longer
            ends_at BIGINT NOT NULL             -- whatever happens
        );
        CREATE INDEX page_sessions_session ON page_sessions (session);
        CREATE INDEX page_sessions_end ON page_sessions (ends_at);
        """

    private static let seventh = """
        CREATE TABLE figures (
            minute BIGINT NOT NULL,         -- since 1970; of what is older than two days, the first of the hour
            node TEXT NOT NULL,             -- which server counted
            name TEXT NOT NULL,
            label TEXT NOT NULL,
            value BIGINT NOT NULL,
            PRIMARY KEY (minute, node, name, label)
        );
        """

    private static let eighth = """
        ALTER TABLE events ADD COLUMN times BIGINT NOT NULL DEFAULT 1;
        ALTER TABLE events ADD COLUMN since BIGINT;     -- of the first of a run; at is of the last
        -- What old ones are found by: at moves with each refresh, and an index on it would with it.
        ALTER TABLE events ADD COLUMN born BIGINT GENERATED ALWAYS AS (coalesce(since, at)) STORED;
        CREATE INDEX events_age ON events (plain, born);
        """

    /// As ids stay, this one finds a session's last event without moving with it.
    private static let ninth = """
        DROP INDEX events_session;
        CREATE INDEX events_session ON events (session, id) WHERE session IS NOT NULL;
        """

    private static let tenth = """
        ALTER TABLE sessions ADD COLUMN run_since BIGINT;   -- NULL: no run
        ALTER TABLE sessions ADD COLUMN run_at BIGINT;      -- of its last refresh
        ALTER TABLE sessions ADD COLUMN run_times BIGINT;
        ALTER TABLE sessions ADD COLUMN run_generation BIGINT;
        ALTER TABLE sessions ADD COLUMN run_source BYTEA;   -- an address, four bytes or sixteen
        """

    /// The same columns, the wide ones first, so that none is padded, and none wider than what it holds.
    ///
    /// A tenth of each page is room for some rows, and whoever comes next to a page clears what is no more.
    private static let twelfth = """
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

    private static let fourteenth = """
        CREATE TABLE mail_queue (
            id BYTEA NOT NULL PRIMARY KEY,
            owner BYTEA NOT NULL,           -- the process that delivers it
            expires_at BIGINT NOT NULL,     -- the mail is of no use any more
            key_id BIGINT NOT NULL,
            sealed BYTEA NOT NULL           -- recipient, text and source, encrypted
        );
        CREATE INDEX mail_queue_expiry ON mail_queue (expires_at);
        CREATE INDEX mail_queue_owner ON mail_queue (owner);
        CREATE TABLE mail_servers (         -- processes that deliver mail
            id BYTEA NOT NULL PRIMARY KEY,
            beat BIGINT NOT NULL            -- incremented while the process runs
        );
        """

    private static let fifteenth = """
        CREATE TABLE known_networks (       -- from which an account signed in
            email TEXT NOT NULL,
            network TEXT NOT NULL,          -- an IPv4 address, or an IPv6 /64
            last_seen BIGINT NOT NULL,
            PRIMARY KEY (email, network)
        );
        CREATE INDEX known_networks_seen ON known_networks (last_seen);
        INSERT INTO known_networks SELECT users.email, sessions.place, max(sessions.created_at)
            FROM sessions JOIN users ON users.id = sessions."user"
            WHERE users.email IS NOT NULL AND sessions.place IS NOT NULL AND (sessions.reason IS NULL
                OR sessions.reason IN ('logout', 'session_limit', 'idle_timeout', 'absolute_timeout'))
            GROUP BY users.email, sessions.place;
        CREATE TABLE client_networks (      -- from which an OAuth client showed its secret
            client TEXT NOT NULL,
            network TEXT NOT NULL,
            last_seen BIGINT NOT NULL,
            PRIMARY KEY (client, network)
        );
        CREATE INDEX client_networks_seen ON client_networks (last_seen);
        ALTER TABLE code_attempts ADD COLUMN origin TEXT;   -- the device or network that asked for the code
        """
}
