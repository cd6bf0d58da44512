// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import GRDBSQLite

/// Binds a statement's parameters directly.
///
/// Up to sixteen bytes are copied to storage that lives as long as the statement; SQLite would allocate memory for a
/// copy.
struct SQLiteBinder: SQLBinder {
    let statement: OpaquePointer
    /// Storage of sixteen bytes for each parameter.
    let blobStorage: UnsafeMutableRawPointer
    private let count: Int
    private var index: Int32 = 0

    init(_ statement: OpaquePointer, count: Int, blobStorage: UnsafeMutableRawPointer) {
        self.statement = statement
        self.count = count
        self.blobStorage = blobStorage
    }

    /// Whether every parameter has a value.
    var isComplete: Bool { index == count }

    mutating func null() throws { try check(sqlite3_bind_null(statement, next())) }

    mutating func integer(_ value: Int64) throws { try check(sqlite3_bind_int64(statement, next(), value)) }

    mutating func bytes(_ value: UnsafeRawBufferPointer) throws {
        let index = next()
        guard index <= count else { return try check(SQLITE_RANGE) }
        guard value.count <= Bits128.byteCount else { return try check(SQLITE_TOOBIG) }
        let place = blobStorage + Int(index - 1) * Bits128.byteCount
        if let start = value.baseAddress { place.copyMemory(from: start, byteCount: value.count) }
        try check(sqlite3_bind_blob(statement, index, place, Int32(value.count), nil))
    }

    mutating func text(_ value: String) throws {
        var value = value
        let index = next()
        let code = value.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { text in
                sqlite3_bind_text(statement, index, text.baseAddress, Int32(text.count), SQLiteStatement.copied)
            }
        }
        try check(code)
    }

    private mutating func next() -> Int32 {
        index += 1
        return index
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw SQLError(sqlite: code, on: sqlite3_db_handle(statement)) }
    }
}
