// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
import FreshetWire

/// Takes what a statement's marks stand for, one after the other.
///
/// For the statement that every refresh runs: a list of values would be an object for each.
package protocol SQLBinder {
    mutating func null() throws
    mutating func integer(_ value: Int64) throws
    /// Sixteen at most.
    mutating func bytes(_ value: UnsafeRawBufferPointer) throws
    mutating func text(_ value: String) throws
}

extension SQLBinder {
    /// Milliseconds since 1970.
    package mutating func timestamp(_ value: Timestamp) throws { try integer(value.milliseconds) }
    package mutating func count(_ value: UInt64) throws { try integer(Int64(clamping: value)) }
    package mutating func address(_ value: SourceAddress?) throws {
        if let value { try value.withUnsafeBytes { try bytes($0) } } else { try null() }
    }
    mutating func uuid(_ value: UUID) throws { try withUnsafeBytes(of: value.uuid) { try bytes($0) } }
    mutating func bits(_ value: Bits128) throws { try value.withUnsafeBytes { try bytes($0) } }
    /// Null without a value.
    package mutating func optional<Value>(_ value: Value?, _ bind: (inout Self, Value) throws -> Void) throws {
        if let value { try bind(&self, value) } else { try null() }
    }
}

/// Keeps them as values, for a question that waits.
struct SQLParameterList: SQLBinder {
    private(set) var values: [(any SQLConvertible)?] = []

    mutating func null() { values.append(nil) }
    mutating func integer(_ value: Int64) { values.append(value) }
    mutating func bytes(_ value: UnsafeRawBufferPointer) { values.append(Array(value)) }
    mutating func text(_ value: String) { values.append(value) }
}
