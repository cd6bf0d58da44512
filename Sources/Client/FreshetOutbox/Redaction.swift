// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Redacts a server's message for storage and display.
enum Redaction {
    private static let longestText = 200
    /// A length that words do not reach, but keys and tokens exceed.
    private static let longestRun = 23

    /// Shortens a text, and redacts long runs of token characters (RFC 9110 section 11.2).
    static func short(_ text: String) -> String {
        var result = ""
        var run = ""
        func flush() {
            result += run.count > longestRun ? "•••" : run
            run = ""
        }
        for character in text.prefix(4 * longestText) {
            if character.isASCII, character.isLetter || character.isNumber || "-._~+/=".contains(character) {
                run.append(character)
            } else {
                flush()
                result.append(character.isNewline ? " " : character)
            }
        }
        flush()
        return String(result.prefix(longestText))
    }
}
