// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Tokens that the backend did not issue.
enum TamperedToken {
    /// A text that no backend accepts as a token.
    static let garbage = "not-a-token"

    /// Returns the token with an invalid signature, as after a change of the server's keys.
    ///
    /// One letter within the last part changes, but not the last letter, of which some encodings ignore bits.
    static func tampered(_ token: String) -> String {
        var characters = Array(token)
        let start = characters.lastIndex(of: ".").map { $0 + 1 } ?? 0
        guard let index = (start..<characters.count).dropLast().last(where: { characters[$0].isASCIIAlphanumeric })
        else { return token + "x" }
        let middle = start + (index - start) / 2
        let place = characters[middle].isASCIIAlphanumeric ? middle : index
        characters[place] = characters[place] == "A" ? "B" : "A"
        return String(characters)
    }
}

extension Character {
    fileprivate var isASCIIAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}
