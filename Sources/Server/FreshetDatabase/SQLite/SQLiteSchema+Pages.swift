// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB

extension SQLiteSchema {
    /// Which browser is signed in to the pages by which session.
    static func registerPages(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("6 sign-ins to pages") { database in
            try database.execute(
                sql: """
                    CREATE TABLE page_sessions (
                        digest BLOB NOT NULL PRIMARY KEY,   -- of what the browser's cookie holds
                        session BLOB NOT NULL,              -- it lives as long as this does, and no longer
                        ends_at INTEGER NOT NULL            -- whatever happens
                    ) WITHOUT ROWID;
                    CREATE INDEX page_sessions_session ON page_sessions(session);
                    CREATE INDEX page_sessions_end ON page_sessions(ends_at);
                    """
            )
        }
    }
}
