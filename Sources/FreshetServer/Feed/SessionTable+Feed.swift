// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

extension SessionTable {
    static let endings = """
        SELECT id, ended_at, reason FROM sessions \
        WHERE ended_at IS NOT NULL AND ended_at >= ? AND (ended_at > ? OR id > ?) ORDER BY ended_at, id LIMIT ?
        """

    /// The sessions that were ended after a place, in the order of their ends.
    static func endings(after place: FeedCursor.Place, limit: Int, in database: any SQLConnection) throws -> [EndedFeed
        .Entry]
    {
        try database.rows(endings, [place.at, place.at, place.session, limit]) { row in
            EndedFeed.Entry(session: try row[0], reason: try row[2] ?? "", at: try row[1])
        }
    }
}
