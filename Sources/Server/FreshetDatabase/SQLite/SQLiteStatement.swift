// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import GRDBSQLite

/// A prepared SQLite statement, for use by one caller at a time.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    private let parameters: Int
    /// The storage of directly bound blobs.
    private let blobStorage: UnsafeMutableRawPointer
    private var isInUse = true

    /// Prepares a statement, which is then marked as in use.
    init(_ sql: String, on connection: OpaquePointer) throws {
        self.connection = connection
        var statement: OpaquePointer?
        var rest = ""
        let code = sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &tail)
            rest = tail.map { String(cString: $0) } ?? ""
            return code
        }
        guard code == SQLITE_OK else { throw SQLError(sqlite: code, on: connection) }
        guard let statement, rest.allSatisfy({ $0.isWhitespace || $0 == ";" }) else {
            sqlite3_finalize(statement)
            throw SQLError(kind: .other, code: "SQLITE_MISUSE", message: "not one statement")
        }
        handle = statement
        parameters = Int(sqlite3_bind_parameter_count(statement))
        blobStorage = .allocate(byteCount: max(1, parameters) * Bits128.byteCount, alignment: 8)
    }

    deinit {
        sqlite3_finalize(handle)
        blobStorage.deallocate()
    }

    /// Marks the statement as in use.
    ///
    /// - Returns: `false` if it already is.
    func begin() -> Bool {
        if isInUse { return false }
        isInUse = true
        return true
    }

    /// Resets the statement and its parameters, and marks it as free.
    func finish() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        isInUse = false
    }

    /// Resets the statement for its owner, which binds every parameter each time.
    func reset() { sqlite3_reset(handle) }

    /// Binds every parameter by `body`.
    func bind(_ body: (inout SQLiteBinder) throws -> Void) throws {
        var binder = SQLiteBinder(handle, count: parameters, blobStorage: blobStorage)
        try body(&binder)
        guard binder.isComplete else {
            throw SQLError(sqlite: SQLITE_RANGE, message: "not as many values as parameters")
        }
    }

    /// The number of rows that the last completed execution wrote.
    var changed: Int { Int(sqlite3_changes(connection)) }

    func bind(_ values: [(any SQLConvertible)?]) throws {
        guard values.count == parameters else {
            throw SQLError(
                kind: .other,
                code: "SQLITE_RANGE",
                message: "\(values.count) values for \(parameters) parameters"
            )
        }
        for (index, value) in values.enumerated() {
            // Parameters without a value are null.
            guard let value else { continue }
            let code = bind(value.sql, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw SQLError(sqlite: code, on: connection) }
        }
    }

    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .integer(let number):
            return sqlite3_bind_int64(handle, index, number)
        case .text(var text):
            // A null pointer stands for NULL, and an empty text may have no pointer.
            if text.isEmpty { return sqlite3_bind_text(handle, index, "", 0, Self.copied) }
            return text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { text in
                    sqlite3_bind_text(handle, index, text.baseAddress, Int32(text.count), Self.copied)
                }
            }
        case .blob(let bytes):
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
            return bytes.withUnsafeBytes { bytes in
                sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), Self.copied)
            }
        }
    }

    /// Steps to the next row.
    ///
    /// - Returns: Whether there is one.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw SQLError(sqlite: code, on: connection)
        }
    }

    /// The current row.
    var row: SQLiteRow { SQLiteRow(statement: handle) }

    /// `SQLITE_TRANSIENT`: SQLite copies the value, which is valid only during the call.
    static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
