// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A place in a JSON value (RFC 6901).
package struct JSONPointer: Sendable, Hashable {
    package let tokens: [String]

    /// - Returns: `nil` unless the text is empty or begins with `/`, and `~` is followed by `0` or `1`.
    package init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/") else { return nil }
        var tokens: [String] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            var token = ""
            var characters = part.makeIterator()
            while let character = characters.next() {
                guard character == "~" else {
                    token.append(character)
                    continue
                }
                switch characters.next() {
                case "0": token.append("~")
                case "1": token.append("/")
                default: return nil
                }
            }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// The value at this place.
    package func value(in root: JSONValue, anyCasing: Bool = false) -> JSONValue? {
        var value = root
        for token in tokens {
            let next: JSONValue?
            switch value {
            case .object(let object): next = anyCasing ? object.value(inAnyCasing: token) : object[token]
            case .array(let items): next = Self.index(token).flatMap { items.indices.contains($0) ? items[$0] : nil }
            default: next = nil
            }
            guard let next else { return nil }
            value = next
        }
        return value
    }

    /// Array indices have no leading zeros (RFC 6901 section 4).
    private static func index(_ token: String) -> Int? {
        guard token == "0" || (token.first != "0" && token.utf8.allSatisfy { (48...57).contains($0) }) else {
            return nil
        }
        return Int(token)
    }
}

extension JSONPointer: CustomStringConvertible {
    package var description: String {
        tokens.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}
