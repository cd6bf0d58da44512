// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A JSON number in its original text, so that identifiers beyond 2^53 are preserved.
package struct JSONNumber: Sendable, Hashable {
    /// The number as defined by RFC 8259 section 6.
    package let text: String

    /// Parses a JSON number; `nil` for any other text.
    package init?(_ text: String) {
        var reader = JSONScanner(text)
        guard reader.skipNumber(), reader.isAtEnd else { return nil }
        self.text = text
    }

    init(checked text: String) { self.text = text }

    package init(_ value: Int) { text = String(value) }

    /// Creates a number; whole numbers have no fraction, infinities become the greatest number, NaN 0.
    package init(_ value: Double) {
        let greatest = Double.greatestFiniteMagnitude
        let value = value.isNaN ? 0 : min(max(value, -greatest), greatest)
        text = value == value.rounded() && abs(value) < 9e15 ? String(Int64(value)) : String(value)
    }

    /// The value, if it is finite.
    package var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
    /// The value of a whole number, if it can be represented exactly.
    package var int: Int? { Int(text) ?? double.flatMap { abs($0) < 9e15 ? Int(exactly: $0) : nil } }
}
