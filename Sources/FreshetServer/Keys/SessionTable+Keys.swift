// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

extension SessionTable {
    /// Whether a session lives that began before a moment.
    static func hasLive(before moment: Timestamp, now: Timestamp, in database: any SQLConnection) throws -> Bool {
        let now = try HousekeepingTable.earliest(now, in: database)
        return try database.has(
            """
            SELECT 1 FROM sessions WHERE ended_at IS NULL AND created_at < ? AND idle_end > ? AND absolute_end > ? LIMIT 1
            """,
            [moment, now, now]
        )
    }
}
