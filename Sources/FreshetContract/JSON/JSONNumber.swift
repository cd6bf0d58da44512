// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A number as it was written, so that identifiers beyond 2^53 survive.
package struct JSONNumber: Sendable, Hashable {
    /// What RFC 8259 section 6 calls a number.
    package let text: String

    /// - Returns: `nil` for anything that is no JSON number.
    package init?(_ text: String) {
        var reader = JSONScanner(text)
        guard reader.skipNumber(), reader.isAtEnd else { return nil }
        self.text = text
    }

    init(checked text: String) { self.text = text }

    package init(_ value: Int) { text = String(value) }

    /// A whole number is written without a fraction.
    package init(_ value: Double) {
        text = value == value.rounded() && abs(value) < 9e15 ? String(Int64(value)) : String(value)
    }

    /// The value, if it is finite.
    package var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
    /// The value of a whole number.
    package var int: Int? { Int(text) ?? double.flatMap { Int(exactly: $0) } }
}
