// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// Does the changes of single sessions on the writer's connection: a look at a row and a conditional write, with two
/// statements that are kept and no list of values on the way.
final class SQLiteRotations {
    private let find: SQLiteStatement
    private let replace: SQLiteStatement

    init(on connection: OpaquePointer) throws {
        find = try SQLiteStatement(SessionTable.byID, on: connection)
        replace = try SQLiteStatement(SessionTable.replacement, on: connection)
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
    ) throws -> Written<Value?> {
        guard let row = try row(id) else { return Written(value: nil) }
        let change = decide(row)
        if let new = change.row, try !put(new, insteadOf: row) { throw SessionTable.damaged }
        if let event = change.record { try record(event) }
        return Written(value: change.value, mustBeDurable: change.mustBeDurable)
    }

    private func row(_ id: SessionID) throws -> SessionRow? {
        defer { find.reset() }
        try find.bind { try $0.bits(id.bits) }
        return try find.step() ? SessionTable.session(find.row) : nil
    }

    private func put(_ new: SessionRow, insteadOf old: SessionRow) throws -> Bool {
        defer { replace.reset() }
        try replace.bind { try SessionTable.fill(&$0, replacing: old, by: new) }
        while try replace.step() {}
        return replace.changed == 1
    }
}
