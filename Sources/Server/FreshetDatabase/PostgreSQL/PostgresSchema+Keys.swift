// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension PostgresSchema {
    /// What tells a server that a key is missing which sessions rest on, and a lost database from a new one.
    static let keysInUse = """
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
}
