// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
package import FreshetWire

/// The current row of a query.
///
/// A column with a value of another type means a damaged row, and throws an error.
package protocol SQLRow {
    func isNull(_ column: Int) -> Bool
    /// Reads an integer; a Boolean is stored as 0 or 1.
    func integer(_ column: Int) throws -> Int64
    func text(_ column: Int) throws -> String
    /// Passes a blob's bytes to `body`.
    func withBytes<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value
}

extension SQLRow {
    subscript(column: Int) -> Int64 { get throws { try integer(column) } }
    subscript(column: Int) -> Int64? { get throws { isNull(column) ? nil : try integer(column) } }
    subscript(column: Int) -> Int { get throws { Int(clamping: try integer(column)) } }
    // Without it, `Int?` would be read by the subscript for `Int`, which throws for NULL.
    subscript(column: Int) -> Int? { get throws { isNull(column) ? nil : Int(clamping: try integer(column)) } }
    subscript(column: Int) -> Bool { get throws { try integer(column) != 0 } }
    subscript(column: Int) -> Bool? { get throws { isNull(column) ? nil : try integer(column) != 0 } }
    subscript(column: Int) -> String { get throws { try text(column) } }
    subscript(column: Int) -> String? { get throws { isNull(column) ? nil : try text(column) } }
    subscript(column: Int) -> [UInt8] { get throws { try withBytes(column) { Array($0) } } }
    subscript(column: Int) -> [UInt8]? { get throws { isNull(column) ? nil : try withBytes(column) { Array($0) } } }
    subscript(column: Int) -> Data { get throws { try withBytes(column) { Data($0) } } }
    subscript(column: Int) -> Data? { get throws { isNull(column) ? nil : try withBytes(column) { Data($0) } } }
    subscript(column: Int) -> UUID? { get throws { isNull(column) ? nil : try self[column] as UUID } }
    subscript(column: Int) -> Timestamp { get throws { Timestamp(milliseconds: try integer(column)) } }
    subscript(column: Int) -> Timestamp? {
        get throws { isNull(column) ? nil : Timestamp(milliseconds: try integer(column)) }
    }
    subscript(column: Int) -> Bits128 {
        get throws {
            try withBytes(column) { bytes in
                guard bytes.count == Bits128.byteCount else { throw SQLError.damaged("not sixteen bytes") }
                return Bits128(startOf: bytes)
            }
        }
    }
    subscript(column: Int) -> Bits128? { get throws { isNull(column) ? nil : try self[column] as Bits128 } }
    package subscript(column: Int) -> SessionID { get throws { SessionID(try self[column] as Bits128) } }
    subscript(column: Int) -> SessionID? { get throws { try (self[column] as Bits128?).map { SessionID($0) } } }
    subscript(column: Int) -> SourceAddress? {
        get throws {
            guard !isNull(column) else { return nil }
            return try withBytes(column) { bytes in
                guard let address = SourceAddress(raw: bytes) else { throw SQLError.damaged("not an address") }
                return address
            }
        }
    }
    subscript(column: Int) -> UUID {
        get throws {
            try withBytes(column) { bytes in
                guard bytes.count == MemoryLayout<uuid_t>.size else {
                    throw SQLError.damaged("an id of another length")
                }
                return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
            }
        }
    }
}
