// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB

/// Reads and writes sessions, one row each for ever.
enum SessionTable {
    private static let columns = """
        id, user, salt, mode, cur, branch, intent, next, successor_kid, bound_at, proved_at, created_at, last_used_at, \
        idle_end, absolute_end, ended_at, reason, device, dialect, place, method
        """

    static func find(_ id: SessionID, in database: Database) throws -> SessionRow? {
        let statement = try database.cachedStatement(sql: "SELECT \(columns) FROM sessions WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [Data(id.bytes)]).map(session)
    }

    /// The sessions of a user that are not over, newest use first.
    static func live(of user: UUID, at now: Timestamp, in database: Database) throws -> [SessionRow] {
        let sql = """
            SELECT \(columns) FROM sessions WHERE user = ? AND ended_at IS NULL ORDER BY last_used_at DESC, id
            """
        let rows = try Row.fetchAll(try database.cachedStatement(sql: sql), arguments: [user.data])
        return try rows.map(session).filter { $0.endReason(at: now) == nil }
    }

    /// Sessions that were ended since `moment`: their access tokens may still be out.
    static func ended(since moment: Timestamp, in database: Database) throws -> [(SessionID, Timestamp)] {
        let sql = "SELECT id, ended_at FROM sessions WHERE ended_at >= ?"
        return try Row.fetchAll(database, sql: sql, arguments: [moment.milliseconds]).map { row in
            (try id(row[0]), Timestamp(milliseconds: row[1]))
        }
    }

    /// Stores a new session.
    ///
    /// - Throws: `invalidGrant` if the account is disabled, whatever way somebody came in.
    static func insert(_ row: SessionRow, in database: Database) throws {
        try UserTable.refuseDisabled(row.user, in: database)
        let marks = Array(repeating: "?", count: 21).joined(separator: ", ")
        let statement = try database.cachedStatement(sql: "INSERT INTO sessions (\(columns)) VALUES (\(marks))")
        let state = row.rotation
        try statement.execute(arguments: [
            Data(row.id.bytes), row.user.data, Data(row.salt), Int64(state.mode.rawValue),
            Int64(clamping: state.current), Int64(clamping: state.branch), state.intent.map { Data($0.bytes) },
            Int64(clamping: state.next), Int64(state.successorKeyID), state.boundAt.milliseconds,
            state.provedAt.milliseconds, row.createdAt.milliseconds, row.lastUsedAt.milliseconds,
            row.idleEnd.milliseconds, row.absoluteEnd.milliseconds, row.ending?.at.milliseconds,
            row.ending?.reason.rawValue, String(decoding: try JSONEncoder().encode(row.device), as: UTF8.self),
            row.dialect, row.place, row.method,
        ])
    }

    /// Replaces `old` by `new` if the row still is what the decision was made from.
    ///
    /// One conditional write: the model refutes any other (`Models/confirmed.pml`, `A_NONATOMIC`).
    static func replace(_ old: SessionRow, by new: SessionRow, in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: """
                UPDATE sessions SET mode = ?, cur = ?, branch = ?, intent = ?, next = ?, successor_kid = ?, bound_at = ?, \
                proved_at = ?, last_used_at = ?, idle_end = ?, ended_at = ?, reason = ? \
                WHERE id = ? AND mode = ? AND cur = ? AND branch = ? AND intent IS ? AND next = ? AND ended_at IS NULL
                """
        )
        let (was, state) = (old.rotation, new.rotation)
        try statement.execute(arguments: [
            Int64(state.mode.rawValue), Int64(clamping: state.current), Int64(clamping: state.branch),
            state.intent.map { Data($0.bytes) }, Int64(clamping: state.next), Int64(state.successorKeyID),
            state.boundAt.milliseconds, state.provedAt.milliseconds, new.lastUsedAt.milliseconds,
            new.idleEnd.milliseconds, new.ending?.at.milliseconds, new.ending?.reason.rawValue,
            Data(old.id.bytes), Int64(was.mode.rawValue), Int64(clamping: was.current), Int64(clamping: was.branch),
            was.intent.map { Data($0.bytes) }, Int64(clamping: was.next),
        ])
        return database.changesCount == 1
    }

    /// Ends a user's sessions: all, the one named, or all but one.
    ///
    /// - Returns: those that were alive until now.
    static func end(
        of user: UUID,
        only id: SessionID? = nil,
        except kept: SessionID? = nil,
        ending: SessionRow.Ending,
        in database: Database
    ) throws -> [SessionID] {
        let ended = try live(of: user, at: ending.at, in: database).map(\.id)
            .filter { (id == nil || $0 == id) && $0 != kept }
        let statement = try database.cachedStatement(sql: "UPDATE sessions SET ended_at = ?, reason = ? WHERE id = ?")
        for id in ended {
            try statement.execute(arguments: [ending.at.milliseconds, ending.reason.rawValue, Data(id.bytes)])
        }
        return ended
    }

    private static func session(_ row: Row) throws -> SessionRow {
        let intent: Data? = row[6]
        let reason: String? = row[16]
        let endedAt: Int64? = row[15]
        let device: String = row[17]
        guard let mode = RotationState.Mode(rawValue: UInt8(clamping: row[3] as Int64)) else { throw damaged }
        // A row that is only half understood must not pass for another one: an intent that cannot be read would be an
        // unbound session, and a reason that cannot be read a false one.
        let intentHash = intent.flatMap { IntentHash(bytes: $0) }
        let endReason = reason.flatMap(EndReason.init)
        guard (intentHash == nil) == (intent == nil), (endReason == nil) == (endedAt == nil) else { throw damaged }
        var session = SessionRow(
            id: try id(row[0]),
            user: try UUID(data: row[1]),
            dialect: row[18],
            salt: Array(row[2] as Data),
            rotation: RotationState(
                mode: mode,
                current: UInt64(clamping: row[4] as Int64),
                branch: UInt64(clamping: row[5] as Int64),
                intent: intentHash,
                next: UInt64(clamping: row[7] as Int64),
                successorKeyID: UInt8(clamping: row[8] as Int64),
                boundAt: Timestamp(milliseconds: row[9]),
                provedAt: Timestamp(milliseconds: row[10])
            ),
            device: device == "{}" ? Device() : try JSONDecoder().decode(Device.self, from: Data(device.utf8)),
            createdAt: Timestamp(milliseconds: row[11]),
            lastUsedAt: Timestamp(milliseconds: row[12]),
            idleEnd: Timestamp(milliseconds: row[13]),
            absoluteEnd: Timestamp(milliseconds: row[14]),
            ending: endedAt.flatMap { at in
                endReason.map { SessionRow.Ending(at: Timestamp(milliseconds: at), reason: $0) }
            }
        )
        session.place = row[19]
        session.method = row[20]
        return session
    }

    private static func id(_ data: Data) throws -> SessionID {
        guard let id = SessionID(bytes: data) else { throw damaged }
        return id
    }

    private static let damaged = DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a session that cannot be read")
}

extension UUID {
    /// The sixteen bytes that a row holds.
    var data: Data { withUnsafeBytes(of: uuid) { Data($0) } }

    init(data: Data) throws {
        guard data.count == 16 else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        var uuid = noUUID
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: data) }
        self.init(uuid: uuid)
    }
}

private let noUUID: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
