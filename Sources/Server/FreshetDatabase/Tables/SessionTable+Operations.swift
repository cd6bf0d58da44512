// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetWire

extension SessionTable {
    /// The expiry and end of a session, its last refresh, and its client.
    package struct End: Sendable {
        package var id: SessionID
        /// The expiry by the idle or the absolute timeout, whichever is earlier.
        package var end: Timestamp
        package var endedAt: Timestamp?
        /// The time of the last refresh of its streak.
        package var runAt: Timestamp?
        package var platform: String?
        package var app: String?
        package var appVersion: String?
        /// The rowid of its row, where rows have one.
        var number: Int64
    }

    /// Returns a page of all sessions, in storage order.
    package static func ends(after last: End?, limit: Int, in database: any SQLConnection) throws -> [End] {
        let place = database.hasRowIDs ? "rowid" : "id"
        let before: any SQLConvertible = database.hasRowIDs ? last?.number ?? 0 : last?.id.bytes ?? []
        let sql = """
            SELECT id, idle_end, absolute_end, ended_at, run_at, \(StoredDevice.column("platform")), \(StoredDevice.column("app")), \
            \(StoredDevice.column("app_version")), \(database.hasRowIDs ? place : "0") \
            FROM sessions WHERE \(place) > ? ORDER BY \(place) LIMIT ?
            """
        return try database.rows(sql, [before, limit]) { row in
            End(
                id: try row[0],
                end: min(try row[1], try row[2]),
                endedAt: try row[3],
                runAt: try row[4],
                platform: try row[5],
                app: try row[6],
                appVersion: try row[7],
                number: try row[8]
            )
        }
    }

    /// Deletes those of the given sessions that ended or expired before a moment.
    ///
    /// - Returns: The number of deleted sessions.
    package static func delete(_ ids: [SessionID], endedBefore moment: Timestamp, in database: any SQLConnection) throws
        -> Int
    {
        let over = "SELECT id FROM sessions WHERE id = ? AND (ended_at < ? OR idle_end < ? OR absolute_end < ?)"
        let sql = "DELETE FROM sessions WHERE id = (\(over + database.skippingLocked))"
        return try ids.reduce(0) { deleted, id in deleted + (try database.execute(sql, [id, moment, moment, moment])) }
    }

    /// Deletes the streaks of those of the given sessions that were not refreshed since a moment.
    ///
    /// - Returns: The number of deleted streaks.
    package static func forgetRuns(of ids: [SessionID], before moment: Timestamp, in database: any SQLConnection) throws
        -> Int
    {
        let old = "SELECT id FROM sessions WHERE id = ? AND run_at < ?"
        let sql = """
            UPDATE sessions SET \(SessionColumn.streak.map { "\($0.name) = NULL" }.joined(separator: ", ")) \
            WHERE id = (\(old + database.skippingLocked))
            """
        return try ids.reduce(0) { forgotten, id in forgotten + (try database.execute(sql, [id, moment])) }
    }

    /// Returns all sessions of a user, active or not, the most recently used first.
    package static func all(of user: UUID, limit: Int, in database: any SQLConnection) throws -> [SessionRow] {
        let sql = #"SELECT id FROM sessions WHERE "user" = ? ORDER BY last_used_at DESC, id LIMIT ?"#
        return try database.rows(sql, [user, limit]) { try $0[0] }.compactMap { try find($0, in: database) }
    }
}
