// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import GRDB

extension SessionTable {
    /// Whether a session lives that began before a moment.
    static func hasLive(before moment: Timestamp, now: Timestamp, in database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM sessions \
                WHERE ended_at IS NULL AND created_at < ? AND idle_end > ? AND absolute_end > ?)
                """,
            arguments: [moment.milliseconds, now.milliseconds, now.milliseconds]
        ) ?? true
    }
}
