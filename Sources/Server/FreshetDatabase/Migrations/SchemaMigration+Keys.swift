// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension SchemaMigration {
    /// Fingerprints of the keys in use and an identity of the database, to detect that one of them was lost.
    static let keyFingerprints = SchemaMigration(
        number: 12,
        name: "create key_fingerprints and database_identity",
        recordedAs: "13 keys in use",
        isOnlineSafe: true,
        sqlite: """
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
            """,
        postgres: """
            CREATE TABLE key_fingerprints (
                kind TEXT NOT NULL,             -- mac, code, es256
                id BIGINT NOT NULL,
                fingerprint BYTEA,              -- a one-way digest; NULL: retired before digests were kept
                retired_at BIGINT,              -- NULL: sessions may rest on it
                PRIMARY KEY (kind, id)
            );
            CREATE TABLE database_identity (
                place BIGINT NOT NULL PRIMARY KEY CHECK (place = 1),
                id BYTEA NOT NULL               -- random; the folder of keys has a copy
            );
            """
    )
}
