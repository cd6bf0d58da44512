// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB
import GRDBSQLite

extension SQLError {
    /// The codes of errors that may be temporary: a full disk, a lock, a failing disk.
    private static let transient: Set<Int32> = [
        SQLITE_FULL, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_ABORT,
        SQLITE_INTERRUPT,
    ]

    /// The error for a transaction that SQLite rolled back itself.
    static let aborted = SQLError(sqlite: SQLITE_ABORT, message: "the transaction was given up")
    static let closed = SQLError(sqlite: SQLITE_MISUSE, message: "the database is closed")

    /// Creates the error of the call that has just failed.
    init(sqlite code: Int32, on connection: OpaquePointer) {
        self.init(
            sqlite: sqlite3_extended_errcode(connection),
            message: sqlite3_errmsg(connection).map { String(cString: $0) } ?? ""
        )
    }

    init(sqlite code: Int32, message: String) {
        let primary = code & 0xFF
        let kind: Kind =
            if primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB {
                .damaged
            } else if Self.transient.contains(primary) { .transient } else { .other }
        // An error in the middle of a backup is not recorded at the connection.
        let text = message == "not an error" ? sqlite3_errstr(code).map { String(cString: $0) } ?? message : message
        self.init(kind: kind, code: "SQLite \(code)", message: text)
    }

    /// Whether a read, a write or a flush failed, other than for lack of space; a commit may have taken effect before its
    /// flush failed.
    package var isDiskFailure: Bool {
        code.unicodeScalars.split(separator: " ").last.flatMap { Int32(String($0)) }.map { $0 & 0xFF == SQLITE_IOERR }
            ?? false
    }

    /// Converts an error of GRDB's, and returns others unchanged.
    static func translated(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        return SQLError(sqlite: error.extendedResultCode.rawValue, message: error.message ?? "")
    }
}
