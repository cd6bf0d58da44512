// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import CLibpq

/// A row of a PostgreSQL result.
struct PostgresRow: SQLRow {
    /// Owns the memory that the row's pointers refer to.
    private let answer: PostgresResult
    let row: Int32

    init(_ answer: PostgresResult, row: Int32) {
        self.answer = answer
        self.row = row
    }

    private var result: OpaquePointer { answer.handle }

    // The OIDs of these types are the same in every database (pg_type.dat).
    private static let integers: [Oid: Int32] = [16: 1, 20: 8, 21: 2, 23: 4]
    private static let texts: Set<Oid> = [19, 25, 114, 705, 1042, 1043]
    private static let bytea: Oid = 17

    func isNull(_ column: Int) -> Bool { PQgetisnull(result, row, Int32(column)) == 1 }

    func integer(_ column: Int) throws -> Int64 {
        guard let length = Self.integers[PQftype(result, Int32(column))] else { throw damaged(column) }
        return try bytes(column) { bytes in
            guard bytes.count == length, let first = bytes.first else { throw damaged(column) }
            let sign: Int64 = first >= 0x80 ? -1 : 0
            return bytes.reduce(sign) { $0 << 8 | Int64($1) }
        }
    }

    func text(_ column: Int) throws -> String {
        guard Self.texts.contains(PQftype(result, Int32(column))) else { throw damaged(column) }
        return try bytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    func withBytes<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
        guard PQftype(result, Int32(column)) == Self.bytea else { throw damaged(column) }
        return try bytes(column, body)
    }

    private func bytes<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
        guard !isNull(column) else { throw damaged(column) }
        let length = Int(PQgetlength(result, row, Int32(column)))
        return try body(UnsafeRawBufferPointer(start: PQgetvalue(result, row, Int32(column)), count: length))
    }

    private func damaged(_ column: Int) -> SQLError {
        let name = PQfname(result, Int32(column)).map { String(cString: $0) } ?? "?"
        return SQLError.damaged("\(name) is not what it should be")
    }
}
