// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension PostgresSchema {
    /// The first sign-in of an account, and the profile that an app keeps of its user.
    static let profiles = """
        ALTER TABLE users ADD COLUMN first_session BYTEA;   -- of the first sign-in; NULL: there was none yet
        ALTER TABLE users ADD COLUMN profile_at BIGINT;     -- when the profile was made; NULL: there is none
        ALTER TABLE users ADD COLUMN username TEXT;
        ALTER TABLE users ADD COLUMN name TEXT;             -- the full name, as the user or Apple gave it
        UPDATE users SET first_session = '\\x00';
        """
}
