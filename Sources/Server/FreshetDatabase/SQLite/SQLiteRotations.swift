// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// Does the changes of single sessions on the writer's connection: a look at a row and a conditional write, with two
/// statements that are kept and no list of values on the way.
final class SQLiteRotations {
    /// Asks for a session, and for SQLite's own number of its row.
    static let look = "SELECT \(SessionColumn.list), rowid FROM sessions WHERE id = ?"
    /// Writes a row where it was found: by its number SQLite is there at once.
    static let write = SessionColumn.replacement + " AND rowid = ?"

    private let find: SQLiteStatement
    private let replace: SQLiteStatement

    init(on connection: OpaquePointer) throws {
        find = try SQLiteStatement(Self.look, on: connection)
        replace = try SQLiteStatement(Self.write, on: connection)
    }

    /// Changes a session as `decide` says.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - decide: Says what becomes of its row.
    ///   - record: Writes what the audit trail gets with it.
    /// - Returns: what was decided; `nil` if there is no such session.
    /// - Throws: `SQLError`; of kind `damaged` if the row is not what it is read as, since nobody else writes meanwhile.
    func change<Value>(
        _ id: SessionID,
        _ decide: (SessionRow) -> SessionChange<Value>,
        record: (AuditEvent) throws -> Void
    ) throws -> WriteResult<Value?> {
        guard let (row, number) = try row(id) else { return WriteResult(value: nil) }
        let change = decide(row)
        if let new = change.row, try !put(new, insteadOf: row, at: number) { throw SessionTable.damaged }
        if let event = change.record { try record(event) }
        return WriteResult(value: change.value, mustBeDurable: change.mustBeDurable)
    }

    private func row(_ id: SessionID) throws -> (SessionRow, number: Int64)? {
        defer { find.reset() }
        try find.bind { try $0.bits(id.bits) }
        guard try find.step() else { return nil }
        return (try SessionRow(find.row), try find.row.integer(SessionColumn.allCases.count))
    }

    private func put(_ new: SessionRow, insteadOf old: SessionRow, at number: Int64) throws -> Bool {
        defer { replace.reset() }
        try replace.bind {
            try SessionColumn.bind(&$0, replacing: old, by: new)
            try $0.integer(number)
        }
        while try replace.step() {}
        return replace.changed == 1
    }
}
