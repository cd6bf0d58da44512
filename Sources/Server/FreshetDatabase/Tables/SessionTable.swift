// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetWire

/// Reads and writes sessions, one row each for ever.
package enum SessionTable {
    static let columns = """
        id, "user", salt, mode, cur, branch, intent, next, successor_kid, bound_at, proved_at, created_at, last_used_at, \
        idle_end, absolute_end, ended_at, reason, device, dialect, place, method, \
        run_since, run_at, run_times, run_generation, run_source
        """
    /// So many columns make a session.
    package static let width = 26
    static let byID = "SELECT \(columns) FROM sessions WHERE id = ?"
    private static let liveOfUser = """
        SELECT \(columns) FROM sessions WHERE "user" = ? AND ended_at IS NULL ORDER BY last_used_at DESC, id
        """
    private static let insertion = """
        INSERT INTO sessions (\(columns)) VALUES (\(Array(repeating: "?", count: width).joined(separator: ", ")))
        """

    package static func find(_ id: SessionID, in database: any SQLConnection) throws -> SessionRow? {
        try database.row(byID, [id]) { try session($0) }
    }

    /// The sessions of a user that are not over, newest use first.
    package static func live(of user: UUID, at now: Timestamp, in database: any SQLConnection) throws -> [SessionRow] {
        try database.rows(liveOfUser, [user]) { try session($0) }.filter { $0.endReason(at: now) == nil }
    }

    /// Sessions that were ended since `moment`: their access tokens may still be out.
    package static func ended(since moment: Timestamp, in database: any SQLConnection) throws -> [SessionID] {
        try database.rows("SELECT id FROM sessions WHERE ended_at >= ?", [moment]) { try $0[0] }
    }

    /// Stores a new session.
    ///
    /// - Throws: `invalidGrant` if the account is disabled, whatever way somebody came in.
    package static func insert(_ row: SessionRow, in database: any SQLConnection) throws {
        try UserTable.requireEnabled(row.user, in: database)
        let state = row.rotation
        let values: [(any SQLConvertible)?] = [
            row.id, row.user, row.salt, state.mode.rawValue, Int64(clamping: state.current),
            Int64(clamping: state.branch), state.intent, Int64(clamping: state.next), Int64(state.successorKeyID),
            state.boundAt, state.provedAt, row.createdAt, row.lastUsedAt, row.idleExpiry, row.absoluteExpiry,
            row.ending?.at,
            row.ending?.reason.rawValue, StoredDevice.text(of: row.device),
            row.contract, row.place, row.method, row.run?.since, row.run?.at,
            row.run?.times, row.run.map { Int64(clamping: $0.generation) }, row.run?.source,
        ]
        try database.execute(insertion, values)
    }

    /// Replaces a row by another one if it still is what the decision was made from.
    ///
    /// One conditional write: the model refutes any other (`Models/confirmed.pml`, `A_NONATOMIC`).
    static let replacement = """
        UPDATE sessions SET mode = ?, cur = ?, branch = ?, intent = ?, next = ?, successor_kid = ?, bound_at = ?, \
        proved_at = ?, last_used_at = ?, idle_end = ?, ended_at = ?, reason = ?, \
        run_since = ?, run_at = ?, run_times = ?, run_generation = ?, run_source = ? \
        WHERE id = ? AND mode = ? AND cur = ? AND branch = ? AND intent IS NOT DISTINCT FROM ? AND next = ? \
        AND run_at IS NOT DISTINCT FROM ? AND run_times IS NOT DISTINCT FROM ? \
        AND run_source IS NOT DISTINCT FROM ? AND ended_at IS NULL
        """

    /// Says what the binder of ``replacement`` stand for.
    package static func bind(_ binder: inout some SQLBinder, replacing old: SessionRow, by new: SessionRow) throws {
        func claim(_ state: RotationState) throws {
            try binder.integer(state.mode.rawValue)
            try binder.count(state.current)
            try binder.count(state.branch)
            if let intent = state.intent { try binder.bits(intent.bits) } else { try binder.null() }
            try binder.count(state.next)
        }
        try claim(new.rotation)
        try binder.integer(Int64(new.rotation.successorKeyID))
        try binder.timestamp(new.rotation.boundAt)
        try binder.timestamp(new.rotation.provedAt)
        try binder.timestamp(new.lastUsedAt)
        try binder.timestamp(new.idleExpiry)
        if let ending = new.ending {
            try binder.timestamp(ending.at)
            try binder.text(ending.reason.rawValue)
        } else {
            try binder.null()
            try binder.null()
        }
        if let run = new.run {
            try binder.timestamp(run.since)
            try binder.timestamp(run.at)
            try binder.integer(Int64(run.times))
            try binder.count(run.generation)
            try binder.address(run.source)
        } else {
            for _ in 1...5 { try binder.null() }
        }
        try binder.bits(old.id.bits)
        try claim(old.rotation)
        if let run = old.run {
            try binder.timestamp(run.at)
            try binder.integer(Int64(run.times))
            try binder.address(run.source)
        } else {
            for _ in 1...3 { try binder.null() }
        }
    }

    /// The values of ``replacement``, for a question that waits.
    package static func replacing(_ old: SessionRow, by new: SessionRow) throws -> [(any SQLConvertible)?] {
        var binder = SQLParameterList()
        try bind(&binder, replacing: old, by: new)
        return binder.values
    }

    /// - Returns: whether the row was what `old` says.
    package static func replace(_ old: SessionRow, by new: SessionRow, in database: any SQLConnection) throws -> Bool {
        try database.execute(replacement, try replacing(old, by: new)) == 1
    }

    /// Ends sessions of an account: all, the one named, or all but one.
    ///
    /// A session that only the time of `ending` calls over is ended as well, unless the newest time that a trusted clock
    /// has stored says the same: else it would live again when a clock that is ahead is set right.
    ///
    /// - Returns: those that were alive until now.
    package static func end(
        only id: SessionID? = nil,
        except kept: SessionID? = nil,
        _ ending: SessionRow.Ending,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws -> [SessionID] {
        let moment = try ServerStateTable.earliest(ending.at, in: database)
        let ids = try live(of: authority.user, at: moment, in: database).map(\.id)
        return try end(ids.filter { (id == nil || $0 == id) && $0 != kept }, ending, in: database)
    }

    /// Ends the sessions of an account that were unused for longest, so that a new one is within the limit.
    ///
    /// - Parameters:
    ///   - limit: How many sessions may be alive, the new one among them.
    ///   - row: The new session, which is stored already.
    ///   - database: The transaction that stored it.
    /// - Returns: The sessions that were ended.
    /// - Throws: What the database says.
    package static func endLeastRecentlyUsed(
        beyond limit: Int,
        for row: SessionRow,
        in database: any SQLConnection
    ) throws -> [SessionID] {
        let others = try live(of: row.user, at: row.createdAt, in: database).filter {
            // A page's session counts for nothing here, and is not ended for a device's.
            try $0.id != row.id && !PageSessionTable.has($0.id, in: database)
        }
        let ending = SessionRow.Ending(at: row.createdAt, reason: .sessionLimit)
        return try end(others.dropFirst(limit - 1).map(\.id), ending, in: database)
    }

    private static func end(
        _ ids: [SessionID],
        _ ending: SessionRow.Ending,
        in database: any SQLConnection
    ) throws -> [SessionID] {
        // In one order wherever several sessions change: two who wait for each other's rows would wait for ever.
        let ended = ids.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        for id in ended {
            try database.execute(
                "UPDATE sessions SET ended_at = ?, reason = ? WHERE id = ?",
                [ending.at, ending.reason.rawValue, id]
            )
        }
        return ended
    }

    package static func session(_ row: some SQLRow) throws -> SessionRow {
        let intent: Bits128? = try row[6]
        let endedAt: Timestamp? = try row[15]
        // An ending holds whatever its reason; no version writes a reason without an ending.
        guard endedAt != nil || row.isNull(16) else { throw damaged }
        return SessionRow(
            id: try row[0],
            user: try row[1],
            contract: try row[18],
            salt: try row[2],
            rotation: RotationState(
                mode: RotationState.Mode(stored: try row[3]),
                current: UInt64(clamping: try row[4] as Int64),
                branch: UInt64(clamping: try row[5] as Int64),
                intent: intent.map(IntentHash.init),
                next: UInt64(clamping: try row[7] as Int64),
                successorKeyID: UInt8(clamping: try row[8] as Int64),
                boundAt: try row[9],
                provedAt: try row[10]
            ),
            device: try StoredDevice.device(try row[17]),
            createdAt: try row[11],
            lastUsedAt: try row[12],
            idleExpiry: try row[13],
            absoluteExpiry: try row[14],
            ending: endedAt.map { SessionRow.Ending(at: $0, reason: row[16]) },
            run: try run(row),
            place: try row[19],
            method: try row[20]
        )
    }

    private static func run(_ row: some SQLRow) throws -> RefreshStreak? {
        guard let since: Timestamp = try row[21] else { return nil }
        return RefreshStreak(
            since: since,
            at: try row[22],
            times: try row[23],
            generation: UInt64(clamping: try row[24] as Int64),
            source: try row[25]
        )
    }

    static let damaged = SQLError.damaged("a session that cannot be read")
}
