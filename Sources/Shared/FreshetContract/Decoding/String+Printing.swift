// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension String {
    /// The text with nothing in it that moves a terminal's cursor or turns its writing round.
    ///
    /// Contract files come from anywhere, and what is wrong in them is shown.
    package var printable: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
                text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The text in quotation marks, and not all of it if it is long.
    package var quoted: String { "'\(prefix(64))\(count > 64 ? "…" : "")'" }

    /// Whether it is what HTTP calls a token, as names of headers are (RFC 9110 section 5.6.2).
    var isHTTPToken: Bool {
        let marks = Set("!#$%&'*+-.^_`|~")
        return !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
    }

    /// Whether it may stand in a header's value.
    var isHeaderText: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}
