// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB

extension SessionTable {
    /// The sessions that were ended after a place, in the order of their ends.
    static func endings(after place: FeedCursor.Place, limit: Int, in database: Database) throws -> [EndedFeed.Entry] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT id, ended_at, reason FROM sessions \
                WHERE ended_at IS NOT NULL AND ended_at >= ? AND (ended_at > ? OR id > ?) ORDER BY ended_at, id LIMIT ?
                """
        )
        let start = place.at.milliseconds
        let rows = try Row.fetchAll(
            statement,
            arguments: [start, start, Data(place.session.bytes), limit]
        )
        return rows.compactMap { row in
            let reason: String? = row[2]
            return SessionID(bytes: row[0] as Data).map {
                EndedFeed.Entry(session: $0, reason: reason ?? "", at: Timestamp(milliseconds: row[1]))
            }
        }
    }
}
