// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Numbers that what runs beside the requests remembers, by name.
enum HousekeepingTable {
    static func get(_ name: String, in database: any SQLConnection) throws -> Int64? {
        try database.number("SELECT value FROM housekeeping WHERE name = ?", [name])
    }

    static func set(_ name: String, _ value: Int64, in database: any SQLConnection) throws {
        try database.execute(
            "INSERT INTO housekeeping (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [name, value]
        )
    }
}
