// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB

extension SQLiteSchema {
    /// Mails that wait, sealed by a key that is not in the database.
    static func registerMailQueue(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("14 mail queue") { database in
            try database.execute(
                sql: """
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
                    """
            )
        }
    }
}
