// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

extension SessionTable {
    /// The numbers of the MAC keys that sessions name which were not ended.
    ///
    /// Reads the whole table; only a database from before keys were recorded is asked.
    package static func keysOfOpenSessions(in database: any SQLConnection) throws -> Set<UInt8> {
        let sql = "SELECT DISTINCT successor_kid FROM sessions WHERE ended_at IS NULL"
        return Set(try database.rows(sql) { UInt8(clamping: try $0[0] as Int64) })
    }

    /// Whether a session lives that began before a moment.
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
