// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A JSON pointer (RFC 6901).
package struct JSONPointer: Sendable, Hashable {
    package let tokens: [String]

    /// Creates the pointer to a place below the names of members or the indices of items.
    package init(tokens: [String]) { self.tokens = tokens }

    /// Parses a JSON pointer.
    ///
    /// - Returns: `nil` unless the text is empty or begins with `/`, and every `~` is followed by `0` or `1`.
    package init?(_ text: String) {
        var rest = text.unicodeScalars[...]
        var tokens: [String] = []
        guard rest.isEmpty || rest.first == "/" else { return nil }
        while let scalar = rest.popFirst() {
            switch scalar {
            case "/": tokens.append("")
            case "~":
                switch rest.popFirst() {
                case "0": tokens[tokens.count - 1].append("~")
                case "1": tokens[tokens.count - 1].append("/")
                default: return nil
                }
            default: tokens[tokens.count - 1].unicodeScalars.append(scalar)
            }
        }
        self.tokens = tokens
    }

    /// Returns the value at this place.
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

    /// Parses an array index, which has no leading zeros (RFC 6901 section 4).
    private static func index(_ token: String) -> Int? {
        guard token == "0" || (token.first != "0" && token.utf8.allSatisfy { (48...57).contains($0) }) else {
            return nil
        }
        return Int(token)
    }
}

extension JSONPointer: CustomStringConvertible {
    package var description: String {
        var text = ""
        for token in tokens {
            text += "/"
            for scalar in token.unicodeScalars {
                switch scalar {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        return text
    }
}
