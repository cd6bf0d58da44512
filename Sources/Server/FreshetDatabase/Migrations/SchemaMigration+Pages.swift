// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SchemaMigration {
    /// The sessions by which browsers are signed in to the pages.
    ///
    /// The digest is that of the cookie's secret. A row is valid as long as its session; after `ends_at` it is deleted.
    static let pageSessions = SchemaMigration(
        number: 6,
        name: "create page_sessions",
        recordedAs: "6 sign-ins to pages",
        isOnlineSafe: true,
        sqlite: """
            CREATE TABLE page_sessions (
                digest BLOB NOT NULL PRIMARY KEY,   -- of what the browser's cookie holds
                session BLOB NOT NULL,              -- it lives as long as this does, and no longer
                ends_at INTEGER NOT NULL            -- whatever happens
            ) WITHOUT ROWID;
            CREATE INDEX page_sessions_session ON page_sessions(session);
            CREATE INDEX page_sessions_end ON page_sessions(ends_at);
            """,
        postgres: """
            CREATE TABLE page_sessions (
                digest BYTEA NOT NULL PRIMARY KEY,  -- of what the browser's cookie holds
                session BYTEA NOT NULL,             -- it lives as long as this does, and no longer
                ends_at BIGINT NOT NULL             -- whatever happens
            );
            CREATE INDEX page_sessions_session ON page_sessions (session);
            CREATE INDEX page_sessions_end ON page_sessions (ends_at);
            """
    )
}
