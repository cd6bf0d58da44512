// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import GRDBSQLite

/// A prepared statement of SQLite's, for use by one caller at a time.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    private let parameters: Int
    /// Where values lie that are bound directly.
    private let blobStorage: UnsafeMutableRawPointer
    private var isInUse = true

    /// Prepares a statement, which then is in use.
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

    /// Takes the statement into use.
    ///
    /// - Returns: `false` if it is in use.
    func begin() -> Bool {
        if isInUse { return false }
        isInUse = true
        return true
    }

    /// Gives it back, and forgets its values.
    func finish() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        isInUse = false
    }

    /// Makes it ready for the next use by the same owner, who gives every mark a value each time.
    func reset() { sqlite3_reset(handle) }

    /// Has `body` give every mark a value.
    func bind(_ body: (inout SQLiteBinder) throws -> Void) throws {
        var binder = SQLiteBinder(handle, count: parameters, blobStorage: blobStorage)
        try body(&binder)
        guard binder.isComplete else { throw SQLError(sqlite: SQLITE_RANGE, message: "not as many values as binder") }
    }

    /// How many rows the last step to the end wrote.
    var changed: Int { Int(sqlite3_changes(connection)) }

    func bind(_ values: [(any SQLConvertible)?]) throws {
        guard values.count == parameters else {
            throw SQLError(
                kind: .other,
                code: "SQLITE_RANGE",
                message: "\(values.count) values for \(parameters) binder"
            )
        }
        for (index, value) in values.enumerated() {
            // Marks without a value are null.
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
            // No address stands for null, and an empty text may have none.
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

    /// Goes to the next row.
    ///
    /// - Returns: whether there is one.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw SQLError(sqlite: code, on: connection)
        }
    }

    /// The row that it stands on.
    var row: SQLiteRow { SQLiteRow(statement: handle) }

    /// Tells SQLite to copy what it is given: it lives as long as the call.
    static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
