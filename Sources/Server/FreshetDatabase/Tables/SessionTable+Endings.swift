// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetWire

extension SessionTable {
    /// A session that was ended.
    package struct Ended: Equatable, Sendable {
        package var id: SessionID
        package var user: UUID
        package var at: Timestamp
        /// The reason of the end; another version of the server may have stored one that this version does not know.
        package var reason: EndReason

        package init(id: SessionID, user: UUID, at moment: Timestamp, reason: EndReason) {
            (self.id, self.user, at, self.reason) = (id, user, moment, reason)
        }
    }

    static let endings = """
        SELECT id, "user", ended_at, reason FROM sessions \
        WHERE ended_at IS NOT NULL AND ended_at >= ? AND (ended_at > ? OR id > ?) ORDER BY ended_at, id LIMIT ?
        """

    /// Returns all sessions that ended since a time, in no order.
    package static func ended(since moment: Timestamp, in database: any SQLConnection) throws -> [Ended] {
        try database.rows(#"SELECT id, "user", ended_at, reason FROM sessions WHERE ended_at >= ?"#, [moment], ended)
    }

    /// Returns the sessions that ended after a position, in the order of their ends.
    package static func endings(
        after place: SessionEndPosition,
        limit: Int,
        in database: any SQLConnection
    ) throws -> [Ended] {
        try database.rows(endings, [place.at, place.at, place.session, limit], ended)
    }

    private static func ended(_ row: any SQLRow) throws -> Ended {
        Ended(id: try row[0], user: try row[1], at: try row[2], reason: row[3])
    }
}
