// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A metric's name and labels, in Prometheus' format.
package struct PrometheusSeries: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let name: String
    /// The labels as `a="b",c="d"`, sorted; empty without labels.
    package let labels: String

    package init(_ name: String, _ labels: [(String, String)] = []) {
        self.name = Self.validName(name)
        let pairs = labels.map { "\(Self.validName($0.0))=\"\(Self.escaped($0.1))\"" }
        self.labels = pairs.sorted().joined(separator: ",")
    }

    init(name: String, labels: String) {
        self.name = name
        self.labels = labels
    }

    /// Parses a `description`.
    init?(_ text: Substring) {
        guard let brace = text.firstIndex(of: "{") else {
            name = String(text)
            labels = ""
            return
        }
        guard text.last == "}" else { return nil }
        name = String(text[..<brace])
        labels = String(text[text.index(after: brace)...].dropLast())
    }

    /// Returns the series with a suffix appended to its name and, optionally, an additional label.
    func with(suffix: String, label: String? = nil) -> String {
        let labels = [self.labels, label ?? ""].filter { !$0.isEmpty }.joined(separator: ",")
        return name + suffix + (labels.isEmpty ? "" : "{\(labels)}")
    }

    /// Returns the unescaped value of a label.
    func value(of label: String) -> String? {
        var rest = labels[...]
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals]
            var value = ""
            var isQuoted = false
            rest = rest[equals...].dropFirst(2)
            while let character = rest.popFirst(), isQuoted || character != "\"" {
                if !isQuoted, character == "\\" {
                    isQuoted = true
                } else {
                    value.append(isQuoted && character == "n" ? "\n" : character)
                    isQuoted = false
                }
            }
            if name == label { return value }
            rest = rest.dropFirst()
        }
        return nil
    }

    package var description: String { with(suffix: "") }

    package static func < (lhs: PrometheusSeries, rhs: PrometheusSeries) -> Bool {
        (lhs.name, lhs.labels) < (rhs.name, rhs.labels)
    }

    /// Replaces each character that a name must not have by an underscore.
    private static func validName(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") ? $0 : "_" })
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
