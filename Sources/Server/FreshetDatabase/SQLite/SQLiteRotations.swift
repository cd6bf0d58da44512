// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// Changes single sessions on the writer's connection, by reading a row and writing it conditionally.
///
/// Both statements are prepared once, and their values are bound without a list.
final class SQLiteRotations {
    /// Selects a session, and the rowid of its row.
    static let look = "SELECT \(SessionColumn.list), rowid FROM sessions WHERE id = ?"
    /// Updates a row by its rowid, without a lookup in the index.
    static let write = SessionColumn.replacement + " AND rowid = ?"

    private let find: SQLiteStatement
    private let replace: SQLiteStatement

    init(on connection: OpaquePointer) throws {
        find = try SQLiteStatement(Self.look, on: connection)
        replace = try SQLiteStatement(Self.write, on: connection)
    }

    /// Changes a session by the decision of `decide`.
    ///
    /// - Parameters:
    ///   - id: The session.
    ///   - decide: Decides the change of its row.
    ///   - record: Writes the event to the audit trail.
    /// - Returns: The decision's value; `nil` if there is no such session.
    /// - Throws: `SQLError`; of kind `damaged` if the row differs from its decoded value, because there is no other
    ///   writer that could have changed it.
    func change<Value>(
        _ id: SessionID,
        _ decide: (SessionRow) -> SessionChange<Value>,
        record: (AuditEvent) throws -> Void
    ) throws -> WriteResult<Value?> {
        guard let (row, number) = try row(id) else { return WriteResult(value: nil) }
        let change = decide(row)
        if let new = change.row, try !put(new, insteadOf: row, at: number) { throw SessionTable.damaged }
        if let event = change.record { try record(event) }
        return WriteResult(value: change.value, durability: change.durability)
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
