// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A text with placeholders for values: `Bearer ${refresh_token}`, `$email`; `$$` is a dollar sign.
package struct Template: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case text(String)
        case value(String)
    }

    package let parts: [Part]

    /// The reason that a text is not a template.
    package struct Fault: Error, Equatable { package var sentence: String }

    package init(_ text: String) throws(Fault) {
        var parts: [Part] = []
        var plain = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "$" else {
                plain.unicodeScalars.append(scalar)
                continue
            }
            if rest.first == "$" {
                rest.removeFirst()
                plain.append("$")
                continue
            }
            let isBraced = rest.first == "{"
            if isBraced { rest.removeFirst() }
            let name = String(rest.prefix(while: Self.isNameScalar))
            rest = rest.dropFirst(name.unicodeScalars.count)
            guard !name.isEmpty else { throw Fault(sentence: "a name follows '$'; '$$' is a dollar sign") }
            if isBraced { guard rest.popFirst() == "}" else { throw Fault(sentence: "'${\(name)' lacks its '}'") } }
            if !plain.isEmpty { parts.append(.text(plain)) }
            plain = ""
            parts.append(.value(name))
        }
        if !plain.isEmpty { parts.append(.text(plain)) }
        self.parts = parts
    }

    /// The empty template.
    package static let empty = Template(parts: [])

    private init(parts: [Part]) { self.parts = parts }

    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "_", "a"..."z", "A"..."Z", "0"..."9": true
        default: false
        }
    }

    /// Whether a text is valid as the name of a value.
    static func isName(_ text: String) -> Bool { !text.isEmpty && text.unicodeScalars.allSatisfy(isNameScalar) }

    /// The names of the values, in order.
    package var names: [String] {
        parts.compactMap { if case .value(let name) = $0 { name } else { nil } }
    }

    /// The name of the value, if the template consists of a single value.
    package var soleName: String? {
        if parts.count == 1, case .value(let name) = parts[0] { name } else { nil }
    }

    /// Returns the text with the values inserted.
    ///
    /// - Parameters:
    ///   - values: The values by name.
    ///   - escape: Escapes each value for its context.
    /// - Returns: The text; `nil` if the template consists of a single value that is missing.
    /// - Throws: ``MissingValue`` if another value is missing.
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
}

extension Template: CustomStringConvertible {
    /// The template's text, with braces where a name would otherwise continue.
    package var description: String {
        var text = ""
        for (index, part) in parts.enumerated() {
            switch part {
            case .text(let plain):
                for scalar in plain.unicodeScalars { text += scalar == "$" ? "$$" : String(scalar) }
            case .value(let name):
                var goesOn = false
                if index + 1 < parts.count, case .text(let next) = parts[index + 1] {
                    goesOn = next.unicodeScalars.first.map(Self.isNameScalar) ?? false
                }
                text += goesOn ? "${\(name)}" : "$\(name)"
            }
        }
        return text
    }
}

/// A value that a template requires and that is missing.
package struct MissingValue: Error, Equatable {
    package var name: String

    package init(name: String) { self.name = name }
}
