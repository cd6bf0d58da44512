// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB
import Testing

@testable import FreshetDatabase

struct `The columns of sessions` {
    @Test func `statements of sessions have a parameter for each value that is bound to them`() throws {
        let database = try DatabaseQueue()
        try SQLiteSchema.migrate(database)
        var row = SessionRow.start(
            user: UUID(),
            mode: .intent,
            device: Device(),
            lifetimes: Lifetimes(),
            keyID: 1,
            now: Timestamp(milliseconds: 1)
        )
        row.rotation.next = 7
        var inserted = SQLParameterList()
        try SessionColumn.bind(&inserted, inserting: row)
        let replaced = try SessionTable.replacing(row, by: row)
        let columns = try database.read { try $0.columns(in: "sessions").map(\.name) }
        #expect(
            SessionColumn.list.replacing("\"", with: "").split(separator: ", ").map(String.init).sorted()
                == columns.sorted()
        )
        for (statement, values) in [(SessionColumn.insertion, inserted.values), (SessionColumn.replacement, replaced)] {
            #expect(statement.count { $0 == "?" } == values.count)
        }
        // The compared columns are bound a second time, in the same order.
        let position = try #require(SessionColumn.replaced.firstIndex(of: .next))
        let compared = try #require(SessionColumn.compared.firstIndex(of: .next))
        #expect(replaced[position]?.sql == .integer(7))
        #expect(replaced[SessionColumn.replaced.count + 1 + compared]?.sql == .integer(7))
        #expect(replaced[SessionColumn.replaced.count]?.sql == row.id.sql)
    }
}
