// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Text with places for values: `Bearer ${refresh_token}`, `$email`; `$$` is a dollar sign.
package struct Template: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case text(String)
        case value(String)
    }

    package let parts: [Part]

    /// Why a text is no template.
    package struct Fault: Error, Equatable { package var sentence: String }

    package init(_ text: String) throws(Fault) {
        var parts: [Part] = []
        var plain = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "$" else {
                plain.append(character)
                continue
            }
            if rest.first == "$" {
                rest.removeFirst()
                plain.append("$")
                continue
            }
            let isBraced = rest.first == "{"
            if isBraced { rest.removeFirst() }
            let name = rest.prefix(while: Self.isNameCharacter)
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty else { throw Fault(sentence: "a name follows '$'; '$$' is a dollar sign") }
            if isBraced { guard rest.popFirst() == "}" else { throw Fault(sentence: "'${\(name)' lacks its '}'") } }
            if !plain.isEmpty { parts.append(.text(plain)) }
            plain = ""
            parts.append(.value(String(name)))
        }
        if !plain.isEmpty { parts.append(.text(plain)) }
        self.parts = parts
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character == "_" || (character.isASCII && (character.isLetter || character.isNumber))
    }

    /// The names of the values, in order.
    package var names: [String] {
        parts.compactMap { if case .value(let name) = $0 { name } else { nil } }
    }

    /// The name of the value that the template consists of, if it is nothing else.
    package var soleName: String? {
        if parts.count == 1, case .value(let name) = parts[0] { name } else { nil }
    }

    /// The text, with the values in their places.
    ///
    /// - Parameters:
    ///   - values: What stands for the names.
    ///   - escape: What is done to each value so that it stays one where it is put.
    /// - Returns: `nil` if the template is nothing but a value that there is none of.
    /// - Throws: ``MissingValue`` if a text lacks a value.
    package func text(
        _ values: TemplateValues,
        escape: (String) -> String = { $0 }
    ) throws(MissingValue) -> String? {
        if let name = soleName { return values[name]?.text.map(escape) }
        var text = ""
        for part in parts {
            switch part {
            case .text(let plain): text += plain
            case .value(let name):
                guard let value = values[name]?.text else { throw MissingValue(name: name) }
                text += escape(value)
            }
        }
        return text
    }

    /// The values that make the template into `text`, if there are any.
    ///
    /// It is how a server reads what a client of the same contract writes. Casing of plain text is not looked at.
    package func values(in text: String) -> [String: String]? {
        var found: [String: String] = [:]
        var rest = text[...]
        for (index, part) in parts.enumerated() {
            switch part {
            case .text(let plain):
                guard rest.lowercased().hasPrefix(plain.lowercased()) else { return nil }
                rest = rest.dropFirst(plain.count)
            case .value(let name):
                var end = rest.endIndex
                if index + 1 < parts.count, case .text(let plain) = parts[index + 1] {
                    guard let next = rest.firstRange(of: plain)?.lowerBound else { return nil }
                    end = next
                }
                guard end > rest.startIndex else { return nil }
                found[name] = String(rest[..<end])
                rest = rest[end...]
            }
        }
        return rest.isEmpty ? found : nil
    }
}

/// A value that a text cannot do without.
package struct MissingValue: Error, Equatable {
    package var name: String
}
