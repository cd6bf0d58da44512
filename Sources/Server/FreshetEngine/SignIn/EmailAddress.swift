// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// A normalized e-mail address, which identifies an account: trimmed, and in lower case.
///
/// Only its syntax is checked; a mailed code proves that the user receives its mail.
package struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of an address, in bytes.
    ///
    /// RFC 5321 section 4.5.3.1.3 allows 256 octets for a path with its angle brackets.
    package static let maximumLength = 254

    package let text: String

    package init?(_ text: String) {
        let trimmed = text.drop(while: \.isWhitespace)
        let end = trimmed.lastIndex { !$0.isWhitespace }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
        let address = trimmed[..<end].lowercased()
        // Scalars, because a character consists of an `@` or a dot and what combines with it.
        let parts = address.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        guard address.utf8.count <= Self.maximumLength, parts.count == 2,
            !parts[0].isEmpty, !parts[1].isEmpty, parts[1].first != ".", parts[1].last != ".",
            address.unicodeScalars.allSatisfy({ !$0.properties.isWhitespace && !$0.isHidden })
        else { return nil }
        self.text = address
    }

    /// Takes an address that was stored, without a check: the rules may have been others when its account was created.
    package init(stored text: String) { self.text = text }

    package var description: String { text }

    /// Compares bytes, as databases do: canonically equivalent texts are addresses of different accounts.
    package static func == (a: EmailAddress, b: EmailAddress) -> Bool { a.text.hasSameBytes(as: b.text) }

    package func hash(into hasher: inout Hasher) { hasher.combine(ExactText(text)) }
}

extension Unicode.Scalar {
    /// Whether the character is invisible, or changes the direction of the text around it.
    fileprivate var isHidden: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        // Such as variation selectors and Hangul fillers.
        default: properties.isDefaultIgnorableCodePoint
        }
    }
}
