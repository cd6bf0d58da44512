// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

/// A parameter of a statement.
package enum SQLValue: Equatable, Sendable {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
}

/// A type whose values can be parameters of a statement.
package protocol SQLConvertible {
    var sql: SQLValue { get }
}

extension Int64: SQLConvertible { package var sql: SQLValue { .integer(self) } }

extension Int: SQLConvertible { package var sql: SQLValue { .integer(Int64(self)) } }

extension String: SQLConvertible { package var sql: SQLValue { .text(self) } }

extension [UInt8]: SQLConvertible { package var sql: SQLValue { .blob(self) } }

extension Data: SQLConvertible { var sql: SQLValue { .blob(Array(self)) } }

/// Stored as the sixteen bytes of the UUID.
extension UUID: SQLConvertible { var sql: SQLValue { .blob(withUnsafeBytes(of: uuid) { Array($0) }) } }

extension Bits128: SQLConvertible { var sql: SQLValue { .blob(bytes) } }

/// Stored as four or sixteen bytes.
extension SourceAddress: SQLConvertible { var sql: SQLValue { .blob(bytes) } }

extension SessionID: SQLConvertible { var sql: SQLValue { .blob(bytes) } }

extension IntentHash: SQLConvertible { var sql: SQLValue { .blob(bytes) } }

/// Stored as milliseconds since 1970.
extension Timestamp: SQLConvertible { var sql: SQLValue { .integer(milliseconds) } }

/// Stored as the normalised address.
extension EmailAddress: SQLConvertible { var sql: SQLValue { .text(text) } }
