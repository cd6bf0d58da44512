// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

extension SessionTable {
    /// A session that was ended.
    struct Ended: Equatable, Sendable {
        var id: SessionID
        var user: UUID
        var at: Timestamp
        /// Whatever another version of the server stored.
        var reason: EndReason
    }

    static let endings = """
        SELECT id, "user", ended_at, reason FROM sessions \
        WHERE ended_at IS NOT NULL AND ended_at >= ? AND (ended_at > ? OR id > ?) ORDER BY ended_at, id LIMIT ?
        """

    /// The sessions that were ended after a place, in the order of their ends.
    static func endings(after place: RevocationFeedCursor.Position, limit: Int, in database: any SQLConnection) throws
        -> [Ended]
    {
        try database.rows(endings, [place.at, place.at, place.session, limit]) { row in
            Ended(id: try row[0], user: try row[1], at: try row[2], reason: row[3])
        }
    }
}
