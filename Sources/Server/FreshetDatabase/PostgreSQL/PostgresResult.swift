// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import CLibpq

/// An answer of PostgreSQL's, given back when nobody holds it.
final class PostgresResult {
    let handle: OpaquePointer

    init(handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    /// The first row; `nil` if there is none.
    var first: PostgresRow? { PQntuples(handle) > 0 ? PostgresRow(self, row: 0) : nil }

    /// How many rows were written or deleted.
    var changed: Int { PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// What the server calls what it did, such as `COMMIT`.
    var command: String { PQcmdStatus(handle).map { String(cString: $0) } ?? "" }

    func field(_ field: Character) -> String? {
        guard let code = field.asciiValue else { return nil }
        return PQresultErrorField(handle, Int32(code)).map { String(cString: $0) }
    }
}

extension SQLError {
    /// Nobody knows whether what was asked last came to be.
    static func connectionLost(_ message: String) -> SQLError {
        SQLError(kind: .transient, code: "PostgreSQL 08006", message: message)
    }

    /// Others wrote the same row again and again.
    static let busy = SQLError(kind: .transient, code: "PostgreSQL 40001", message: "others were faster too often")

    /// What the server says is wrong, without the detail, which may hold what is in a row.
    init(_ result: PostgresResult) {
        let state = result.field("C") ?? "?????"
        let kind: Kind =
            switch state.prefix(2) {
            // Connections, a server that takes no writes any more, two writers of one thing, resources, locks, an operator's
            // doings.
            case "08", "25", "40", "53", "55", "57", "58": .transient
            case "XX" where state != "XX000": .damaged
            default: .other
            }
        self.init(kind: kind, code: "PostgreSQL \(state)", message: result.field("M") ?? "")
    }

    /// Somebody else wrote the same: done again, it goes well.
    ///
    /// Two who insert one key at a time may be told that it is there (23505) before they are told of each other.
    var isConflict: Bool { ["PostgreSQL 40001", "PostgreSQL 40P01", "PostgreSQL 23505"].contains(code) }

    /// Whether the connection is of no use any more: it may lead to a server that was the primary.
    var endsConnection: Bool { code.hasPrefix("PostgreSQL 57P") || code == "PostgreSQL 25006" }
}
