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
        guard let brace = text.unicodeScalars.firstIndex(of: "{") else {
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
        // The recorder of the metrics' history reads the labels of every series.
        var rest = labels.utf8[...]
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let isWanted = rest[..<equals].elementsEqual(label.utf8)
            var value: [UInt8] = []
            var isQuoted = false
            rest = rest[equals...].dropFirst(2)
            while let byte = rest.popFirst(), isQuoted || byte != UInt8(ascii: "\"") {
                if !isQuoted, byte == UInt8(ascii: "\\") {
                    isQuoted = true
                } else {
                    if isWanted { value.append(isQuoted && byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte) }
                    isQuoted = false
                }
            }
            if isWanted { return String(decoding: value, as: UTF8.self) }
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
        if text.utf8.allSatisfy(isValid) { return text }
        return String(text.map { $0.utf8.count == 1 && $0.utf8.allSatisfy(isValid) ? $0 : "_" })
    }

    private static func isValid(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private static func escaped(_ text: String) -> String {
        let special: [UInt8] = [UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "\n")]
        guard text.utf8.contains(where: special.contains) else { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "\"": escaped += ["\\", scalar]
            case "\n": escaped += ["\\", "n"]
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
