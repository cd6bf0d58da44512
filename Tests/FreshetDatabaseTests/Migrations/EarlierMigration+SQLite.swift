// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension EarlierMigration {
    static let sqlite = parsed(
        #"""
        -- migration: 1 users, sessions, codes
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

        -- migration: 2 proved addresses
        ALTER TABLE users ADD COLUMN proved_at INTEGER;     -- NULL: nobody has shown to read this address
        UPDATE users SET proved_at = created_at WHERE password IS NULL;

        -- migration: 3 dialects, numbers of users, Apple accounts
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

        ALTER TABLE sessions ADD COLUMN dialect TEXT;   -- whose sign-in opened it; NULL: the native contract;

        -- migration: 4 limits, spent proofs, places and devices of sign-ins
        CREATE TABLE attempt_budgets (
            key TEXT NOT NULL PRIMARY KEY,      -- a digest: whose tries these are
            full_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX attempt_budgets_full ON attempt_budgets(full_at);

        CREATE TABLE spent_proofs (             -- nonces and identity tokens that were used
            digest BLOB NOT NULL PRIMARY KEY,
            expires_at INTEGER NOT NULL,
            session BLOB,                       -- what it was used for
            intent BLOB
        ) WITHOUT ROWID;
        CREATE INDEX spent_proofs_expiry ON spent_proofs(expires_at);

        CREATE TABLE known_devices (            -- kinds of device that an account was signed in on
            user BLOB NOT NULL,
            device BLOB NOT NULL,               -- a digest of platform, model and app
            first_seen INTEGER NOT NULL,
            PRIMARY KEY (user, device)
        ) WITHOUT ROWID;

        ALTER TABLE sessions ADD COLUMN place TEXT;     -- where the sign-in came from
        ALTER TABLE sessions ADD COLUMN method TEXT;    -- how: password, code, apple
        ALTER TABLE code_attempts ADD COLUMN purpose TEXT NOT NULL DEFAULT 'login';
        ALTER TABLE apple_accounts ADD COLUMN linked_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE apple_accounts ADD COLUMN mail_off_at INTEGER;  -- the relay forwards nothing since then;

        -- migration: 5 events, disabled users, housekeeping
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

        -- migration: 6 sign-ins to pages
        CREATE TABLE page_sessions (
            digest BLOB NOT NULL PRIMARY KEY,   -- of what the browser's cookie holds
            session BLOB NOT NULL,              -- it lives as long as this does, and no longer
            ends_at INTEGER NOT NULL            -- whatever happens
        ) WITHOUT ROWID;
        CREATE INDEX page_sessions_session ON page_sessions(session);
        CREATE INDEX page_sessions_end ON page_sessions(ends_at);

        -- migration: 7 figures over time
        CREATE TABLE figures (
            minute INTEGER NOT NULL,        -- since 1970; of what is older than two days, the first of the hour
            node TEXT NOT NULL,             -- which server counted
            name TEXT NOT NULL,
            label TEXT NOT NULL,
            value INTEGER NOT NULL,
            PRIMARY KEY (minute, node, name, label)
        ) WITHOUT ROWID;

        -- migration: 8 runs of refreshes
        ALTER TABLE events ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE events ADD COLUMN since INTEGER;        -- of the first of a run; at is of the last;

        -- migration: 9 indices that a run leaves alone
        DROP INDEX events_session;
        CREATE INDEX events_session ON events(session) WHERE session IS NOT NULL;
        DROP INDEX events_age;
        CREATE INDEX events_age ON events(plain, coalesce(since, at));

        -- migration: 10 runs in their session's row
        ALTER TABLE sessions ADD COLUMN run_since INTEGER;  -- NULL: no run
        ALTER TABLE sessions ADD COLUMN run_at INTEGER;     -- of its last refresh
        ALTER TABLE sessions ADD COLUMN run_times INTEGER;
        ALTER TABLE sessions ADD COLUMN run_generation INTEGER;
        ALTER TABLE sessions ADD COLUMN run_source BLOB;    -- an address, four bytes or sixteen;

        -- migration: 11 sessions in the order they came
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

        -- migration: 13 keys in use
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

        -- migration: 14 mail queue
        CREATE TABLE mail_queue (
            id BLOB NOT NULL PRIMARY KEY,
            owner BLOB NOT NULL,                -- the process that delivers it
            expires_at INTEGER NOT NULL,        -- the mail is of no use any more
            key_id INTEGER NOT NULL,
            sealed BLOB NOT NULL                -- recipient, text and source, encrypted
        ) WITHOUT ROWID;
        CREATE INDEX mail_queue_expiry ON mail_queue(expires_at);
        CREATE INDEX mail_queue_owner ON mail_queue(owner);

        CREATE TABLE mail_servers (             -- PostgreSQL's: processes that deliver mail
            id BLOB NOT NULL PRIMARY KEY,
            beat INTEGER NOT NULL               -- incremented while the process runs
        ) WITHOUT ROWID;

        -- migration: 15 known networks
        CREATE TABLE known_networks (           -- from which an account signed in
            email TEXT NOT NULL,
            network TEXT NOT NULL,              -- an IPv4 address, or an IPv6 /64
            last_seen INTEGER NOT NULL,
            PRIMARY KEY (email, network)
        ) WITHOUT ROWID;
        CREATE INDEX known_networks_seen ON known_networks(last_seen);
        INSERT INTO known_networks SELECT users.email, sessions.place, max(sessions.created_at)
            FROM sessions JOIN users ON users.id = sessions.user
            WHERE users.email IS NOT NULL AND sessions.place IS NOT NULL AND (sessions.reason IS NULL
                OR sessions.reason IN ('logout', 'session_limit', 'idle_timeout', 'absolute_timeout'))
            GROUP BY users.email, sessions.place;

        CREATE TABLE client_networks (          -- from which an OAuth client showed its secret
            client TEXT NOT NULL,
            network TEXT NOT NULL,
            last_seen INTEGER NOT NULL,
            PRIMARY KEY (client, network)
        ) WITHOUT ROWID;
        CREATE INDEX client_networks_seen ON client_networks(last_seen);

        ALTER TABLE code_attempts ADD COLUMN origin TEXT;   -- the device or network that asked for the code;

        -- migration: 16 profiles
        ALTER TABLE users ADD COLUMN first_session BLOB;    -- of the first sign-in; NULL: there was none yet
        ALTER TABLE users ADD COLUMN profile_at INTEGER;    -- when the profile was made; NULL: there is none
        ALTER TABLE users ADD COLUMN username TEXT;
        ALTER TABLE users ADD COLUMN name TEXT;             -- the full name, as the user or Apple gave it
        UPDATE users SET first_session = x'00';
        """#
    )
}
