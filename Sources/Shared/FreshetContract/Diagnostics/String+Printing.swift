// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension String {
    /// The text with control and formatting characters replaced.
    ///
    /// It can be printed safely on a terminal: contract files come from untrusted sources, and error messages quote
    /// them.
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

    /// The text in quotation marks, truncated to 64 characters.
    package var quoted: String { "'\(prefix(64))\(count > 64 ? "…" : "")'" }

    /// Whether the text is an HTTP token, as header names are (RFC 9110 section 5.6.2).
    var isHTTPToken: Bool {
        let marks = Set("!#$%&'*+-.^_`|~")
        return !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
    }

    /// Whether the text may be part of a header value.
    var isHeaderText: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}
