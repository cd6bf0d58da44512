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

    /// Changes a session as `decide` says, until it says so of the row that is there.
    ///
    /// - Returns: what was decided; `nil` if there is no such session.
    /// - Throws: `SQLError`.
    func change<Value>(_ id: SessionID, _ decide: (SessionRow) -> SessionChange<Value>) throws -> Written<Value?> {
        while let row = try row(id) {
            let change = decide(row)
            if let new = change.row, try !put(new, insteadOf: row) { continue }
            return Written(value: change.value, mustBeDurable: change.mustBeDurable)
        }
        return Written(value: nil)
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
