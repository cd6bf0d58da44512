// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SchemaMigration {
    /// The mail queue, encrypted with a key that is not stored in the database.
    static let mailQueue = SchemaMigration(
        number: 13,
        name: "create mail_queue and mail_servers",
        recordedAs: "14 mail queue",
        isOnlineSafe: true,
        sqlite: """
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
            """,
        postgres: """
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
    )
}
