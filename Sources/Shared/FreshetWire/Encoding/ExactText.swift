// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A text that is compared by code points, as databases and other programs do.
///
/// Swift's strings are equal if they are canonically equivalent, even if their code points differ (RFC 8259 section 8.3).
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (a: ExactText, b: ExactText) -> Bool { a.text.hasSameBytes(as: b.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// Whether both texts have the same code points, not only equivalent ones.
    package func hasSameBytes(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }

    /// Returns the longest prefix of whole characters that has at most `limit` bytes of UTF-8.
    package func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var length = 0
        return String(
            prefix { character in
                length += character.utf8.count
                return length <= limit
            }
        )
    }
}
