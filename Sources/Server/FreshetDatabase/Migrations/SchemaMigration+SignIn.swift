// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SchemaMigration {
    /// Rate limits that survive a restart, used proofs, and the places and devices of sign-ins.
    static let signInLimits = SchemaMigration(
        number: 4,
        name: "create attempt_budgets, spent_proofs and known_devices, add sessions.place and sessions.method",
        recordedAs: "4 limits, spent proofs, places and devices of sign-ins",
        isOnlineSafe: true,
        sqlite: """
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
            ALTER TABLE apple_accounts ADD COLUMN mail_off_at INTEGER;  -- the relay forwards nothing since then
            """,
        postgres: """
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
    )

    /// The networks from which accounts and OAuth clients signed in, and the origin of codes.
    static let knownNetworks = SchemaMigration(
        number: 14,
        name: "create known_networks and client_networks, add code_attempts.origin",
        recordedAs: "15 known networks",
        isOnlineSafe: true,
        sqlite: """
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

            ALTER TABLE code_attempts ADD COLUMN origin TEXT;   -- the device or network that asked for the code
            """,
        postgres: """
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
    )

    /// The time at which an account's devices were last forgotten.
    ///
    /// Sessions that ended before the first proof of an address may be those of another person.
    static let forgottenDevices = SchemaMigration(
        number: 16,
        name: "add users.devices_forgotten_at",
        recordedAs: "17 forgotten devices",
        isOnlineSafe: true,
        sqlite: """
            ALTER TABLE users ADD COLUMN devices_forgotten_at INTEGER;  -- sessions that ended before show no device
            UPDATE users SET devices_forgotten_at = proved_at;
            """,
        postgres: """
            ALTER TABLE users ADD COLUMN devices_forgotten_at BIGINT;   -- sessions that ended before show no device
            UPDATE users SET devices_forgotten_at = proved_at;
            """
    )
}
