// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SchemaMigration {
    /// Accounts, sessions and the codes that are sent by e-mail.
    static let initialTables = SchemaMigration(
        number: 1,
        name: "create users, sessions and code_attempts",
        recordedAs: "1 users, sessions, codes",
        isOnlineSafe: true,
        sqlite: """
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
            """,
        postgres: """
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
    )

    /// The time at which a user proved an e-mail address.
    ///
    /// An account without a password was created by a code, which proved its address.
    static let provedAddresses = SchemaMigration(
        number: 2,
        name: "add users.proved_at",
        recordedAs: "2 proved addresses",
        isOnlineSafe: true,
        sqlite: """
            ALTER TABLE users ADD COLUMN proved_at INTEGER;     -- NULL: the address is not verified
            UPDATE users SET proved_at = created_at WHERE password IS NULL;
            """,
        postgres: """
            ALTER TABLE users ADD COLUMN proved_at BIGINT
            """
    )

    /// The first sign-in of an account, and the profile that an app keeps of its user.
    ///
    /// Existing accounts count as having signed in, so that apps do not show their users the onboarding again.
    static let profiles = SchemaMigration(
        number: 15,
        name: "add first_session, profile_at, username and name to users",
        recordedAs: "16 profiles",
        isOnlineSafe: true,
        sqlite: """
            ALTER TABLE users ADD COLUMN first_session BLOB;    -- of the first sign-in; NULL: there was none yet
            ALTER TABLE users ADD COLUMN profile_at INTEGER;    -- when the profile was made; NULL: there is none
            ALTER TABLE users ADD COLUMN username TEXT;
            ALTER TABLE users ADD COLUMN name TEXT;             -- the full name, as the user or Apple gave it
            UPDATE users SET first_session = x'00';
            """,
        postgres: """
            ALTER TABLE users ADD COLUMN first_session BYTEA;   -- of the first sign-in; NULL: there was none yet
            ALTER TABLE users ADD COLUMN profile_at BIGINT;     -- when the profile was made; NULL: there is none
            ALTER TABLE users ADD COLUMN username TEXT;
            ALTER TABLE users ADD COLUMN name TEXT;             -- the full name, as the user or Apple gave it
            UPDATE users SET first_session = '\\x00';
            """
    )
}
