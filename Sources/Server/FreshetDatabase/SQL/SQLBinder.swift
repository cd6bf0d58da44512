// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

/// Binds a statement's parameters in order.
///
/// Every refresh uses a binder: a list of values would require an allocation per value.
protocol SQLBinder {
    mutating func null() throws
    mutating func integer(_ value: Int64) throws
    /// Binds a blob of at most sixteen bytes.
    mutating func bytes(_ value: UnsafeRawBufferPointer) throws
    mutating func text(_ value: String) throws
}

extension SQLBinder {
    /// Binds a time as milliseconds since 1970.
    mutating func timestamp(_ value: Timestamp) throws { try integer(value.milliseconds) }
    mutating func count(_ value: UInt64) throws { try integer(Int64(clamping: value)) }
    mutating func address(_ value: SourceAddress?) throws {
        if let value { try value.withUnsafeBytes { try bytes($0) } } else { try null() }
    }
    mutating func uuid(_ value: UUID) throws { try withUnsafeBytes(of: value.uuid) { try bytes($0) } }
    mutating func bits(_ value: Bits128) throws { try value.withUnsafeBytes { try bytes($0) } }
    /// Binds a value, or null for `nil`.
    mutating func optional<Value>(_ value: Value?, _ bind: (inout Self, Value) throws -> Void) throws {
        if let value { try bind(&self, value) } else { try null() }
    }
}

/// Collects parameters as values, for a query that is queued.
struct SQLParameterList: SQLBinder {
    private(set) var values: [(any SQLConvertible)?] = []

    mutating func null() { values.append(nil) }
    mutating func integer(_ value: Int64) { values.append(value) }
    mutating func bytes(_ value: UnsafeRawBufferPointer) { values.append(Array(value)) }
    mutating func text(_ value: String) { values.append(value) }
}
