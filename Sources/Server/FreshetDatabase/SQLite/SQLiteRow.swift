// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDBSQLite

/// The current row of a SQLite statement.
struct SQLiteRow: SQLRow {
    let statement: OpaquePointer

    func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL }

    func integer(_ column: Int) throws -> Int64 {
        try expect(SQLITE_INTEGER, column)
        return sqlite3_column_int64(statement, Int32(column))
    }

    func text(_ column: Int) throws -> String {
        try expect(SQLITE_TEXT, column)
        // The text is read first: reading it may convert the value, which determines the length.
        guard let text = sqlite3_column_text(statement, Int32(column)) else { return "" }
        let length = Int(sqlite3_column_bytes(statement, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: text, count: length), as: UTF8.self)
    }

    func withBytes<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
        try expect(SQLITE_BLOB, column)
        let bytes = sqlite3_column_blob(statement, Int32(column))
        return try body(
            UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, Int32(column))))
        )
    }

    private func expect(_ type: Int32, _ column: Int) throws {
        guard sqlite3_column_type(statement, Int32(column)) == type else {
            let name = sqlite3_column_name(statement, Int32(column)).map { String(cString: $0) } ?? "?"
            throw SQLError.damaged("\(name) is not what it should be")
        }
    }
}
