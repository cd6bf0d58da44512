// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import GRDB

/// Remembers when the last whole copy was made, for those who ask how the store is.
enum BackupNote {
    private static let name = "last_backup"

    static func set(_ moment: Timestamp, in database: Database) throws {
        try database.execute(
            sql: "INSERT INTO housekeeping (name, value) VALUES (?1, ?2) ON CONFLICT(name) DO UPDATE SET value = ?2",
            arguments: [name, moment.milliseconds]
        )
    }

    /// `nil` if no copy was made by this program.
    static func get(in database: Database) throws -> Timestamp? {
        try Int64.fetchOne(database, sql: "SELECT value FROM housekeeping WHERE name = ?", arguments: [name])
            .map { Timestamp(milliseconds: $0) }
    }
}
