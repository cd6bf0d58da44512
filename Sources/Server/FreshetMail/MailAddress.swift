// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// An address that is safe in a mail's header and in SMTP commands.
///
/// It has the dot-string form of RFC 5321, with the characters of RFC 6531; quoted local parts are refused.
struct MailAddress: Equatable, Sendable {
    let text: String
    let domain: String

    init?(_ text: String) {
        let parts = text.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, Self.isDotted(parts[0], "!#$%&'*+-/=?^_`{|}~"),
            Self.isDotted(parts[1], "-"),
            // A program that gets the address as an argument would parse it as an option.
            text.utf8.first != UInt8(ascii: "-")
        else { return nil }
        self.text = text
        domain = String(parts[1])
    }

    private static func isDotted(_ scalars: Substring.UnicodeScalarView, _ marks: String) -> Bool {
        scalars.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty
                && atom.allSatisfy { scalar in
                    scalar.isASCII
                        ? scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                            || marks.unicodeScalars.contains(scalar)
                        : !scalar.isControl && !scalar.properties.isWhitespace
                            && !scalar.properties.isDefaultIgnorableCodePoint
                }
        }
    }
}
