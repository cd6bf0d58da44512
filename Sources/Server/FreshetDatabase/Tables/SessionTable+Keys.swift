// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

extension SessionTable {
    /// Returns the ids of the MAC keys of sessions that were not ended.
    ///
    /// Reads the whole table; only for a database from before keys were recorded.
    package static func keysOfOpenSessions(in database: any SQLConnection) throws -> Set<UInt8> {
        let sql = "SELECT DISTINCT successor_kid FROM sessions WHERE ended_at IS NULL"
        return Set(try database.rows(sql) { UInt8(clamping: try $0[0] as Int64) })
    }

    /// Returns whether a session is stored that was created before a moment, active or not.
    package static func has(before moment: Timestamp, in database: any SQLConnection) throws -> Bool {
        try database.has("SELECT 1 FROM sessions WHERE created_at < ? LIMIT 1", [moment])
    }

    /// Returns whether a session that was created before a moment is active.
    package static func hasLive(before moment: Timestamp, now: Timestamp, in database: any SQLConnection) throws -> Bool
    {
        let now = try ServerStateTable.earliest(now, in: database)
        return try database.has(
            """
            SELECT 1 FROM sessions WHERE ended_at IS NULL AND created_at < ? AND idle_end > ? AND absolute_end > ? LIMIT 1
            """,
            [moment, now, now]
        )
    }
}
