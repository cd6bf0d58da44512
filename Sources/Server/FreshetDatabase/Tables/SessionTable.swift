// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetWire

/// Reads and writes sessions, each of which keeps one row for its lifetime.
package enum SessionTable {
    static let byID = "SELECT \(SessionColumn.list) FROM sessions WHERE id = ?"
    private static let liveOfUser = """
        SELECT \(SessionColumn.list) FROM sessions WHERE "user" = ? AND ended_at IS NULL ORDER BY last_used_at DESC, id
        """

    package static func find(_ id: SessionID, in database: any SQLConnection) throws -> SessionRow? {
        try database.row(byID, [id]) { try SessionRow($0) }
    }

    /// Returns the active sessions of a user, the most recently used first.
    package static func live(of user: UUID, at now: Timestamp, in database: any SQLConnection) throws -> [SessionRow] {
        try database.rows(liveOfUser, [user]) { try SessionRow($0) }.filter { $0.endReason(at: now) == nil }
    }

    /// Returns the latest time at which a user's sessions that have not ended were used.
    ///
    /// - Returns: `nil` if there are none.
    package static func lastUse(of user: UUID, in database: any SQLConnection) throws -> Timestamp? {
        let sql = #"SELECT max(last_used_at) FROM sessions WHERE "user" = ? AND ended_at IS NULL"#
        return try database.number(sql, [user]).map { Timestamp(milliseconds: $0) }
    }

    /// Stores a new session.
    ///
    /// - Throws: `invalidGrant` if the account is disabled, for every sign-in method.
    package static func insert(_ row: SessionRow, in database: any SQLConnection) throws {
        try UserTable.requireEnabled(row.user, in: database)
        var binder = SQLParameterList()
        try SessionColumn.bind(&binder, inserting: row)
        try database.execute(SessionColumn.insertion, binder.values)
    }

    /// Returns the parameters of ``SessionColumn/replacement``, for a query that is queued.
    static func replacing(_ old: SessionRow, by new: SessionRow) throws -> [(any SQLConvertible)?] {
        var binder = SQLParameterList()
        try SessionColumn.bind(&binder, replacing: old, by: new)
        return binder.values
    }

    /// Replaces a row if it equals `old`.
    ///
    /// - Returns: Whether the row was replaced.
    static func replace(_ old: SessionRow, by new: SessionRow, in database: any SQLConnection) throws -> Bool {
        try database.execute(SessionColumn.replacement, try replacing(old, by: new)) == 1
    }

    /// Ends the least recently used sessions of an account, so that a new one is within the limit.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of active sessions, including the new one.
    ///   - row: The new session, which is stored already.
    ///   - database: The transaction that stored it.
    /// - Returns: The sessions that were ended.
    /// - Throws: The database's error.
    package static func endLeastRecentlyUsed(
        beyond limit: Int,
        for row: SessionRow,
        in database: any SQLConnection
    ) throws -> [SessionID] {
        let others = try live(of: row.user, at: row.createdAt, in: database).filter {
            // A session of the pages does not count towards the limit, and is not ended for a device's session.
            try $0.id != row.id && !PageSessionTable.has($0.id, in: database)
        }
        let ending = SessionRow.Ending(at: row.createdAt, reason: .sessionLimit)
        return try end(others.dropFirst(limit - 1).map(\.id), ending, in: database)
    }

    /// Ends sessions without checking the caller's authority.
    static func end(
        _ ids: [SessionID],
        _ ending: SessionRow.Ending,
        in database: any SQLConnection
    ) throws -> [SessionID] {
        // Every transaction that changes several sessions locks their rows in the same order, which prevents deadlocks.
        let ended = ids.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        for id in ended {
            try database.execute(
                "UPDATE sessions SET ended_at = ?, reason = ? WHERE id = ?",
                [ending.at, ending.reason.rawValue, id]
            )
        }
        return ended
    }

    static let damaged = SQLError.damaged("a session that cannot be read")
}
