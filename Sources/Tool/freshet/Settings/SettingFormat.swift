// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetCommandLine
import FreshetEngine
import FreshetHTTP
import FreshetServer

/// The parser and the formatter of a setting's value.
struct SettingFormat<Value>: Sendable {
    /// The name of the value in the help.
    let placeholder: String
    let kind: Setting.Kind
    let parse: @Sendable (String) throws(SettingError) -> Value
    /// Formats a value; `nil` if there is nothing to write.
    let text: @Sendable (Value) -> String?

    init(
        _ placeholder: String,
        kind: Setting.Kind = .value,
        parse: @escaping @Sendable (String) throws(SettingError) -> Value,
        text: @escaping @Sendable (Value) -> String?
    ) {
        self.placeholder = placeholder
        self.kind = kind
        self.parse = parse
        self.text = text
    }

    /// Creates a format whose only error is `… is not EXPECTED`.
    init(
        _ placeholder: String,
        kind: Setting.Kind = .value,
        expected: String,
        parse: @escaping @Sendable (String) -> Value?,
        text: @escaping @Sendable (Value) -> String?
    ) {
        self.init(
            placeholder,
            kind: kind,
            parse: { text throws(SettingError) in
                guard let value = parse(text) else { throw SettingError(text, "is not \(expected)") }
                return value
            },
            text: text
        )
    }

    /// The same format for a field that is `nil` unless the setting is given.
    var optional: SettingFormat<Value?> {
        SettingFormat<Value?>(
            placeholder,
            kind: kind,
            parse: { [parse] text throws(SettingError) in try parse(text) },
            text: { [text] value in value.flatMap(text) }
        )
    }
}

extension SettingFormat where Value == String {
    static var text: Self { text("text") }

    static func text(_ placeholder: String) -> Self { Self(placeholder, expected: "text", parse: { $0 }, text: { $0 }) }
}

extension SettingFormat where Value == Bool {
    static var flag: Self {
        Self(
            "flag",
            kind: .flag,
            expected: "true or false",
            parse: { text in
                switch text.lowercased() {
                case "false", "no", "0", "": false
                case "true", "yes", "1": true
                default: nil
                }
            },
            text: { "\($0)" }
        )
    }
}

extension SettingFormat where Value == Int {
    static func number(in range: ClosedRange<Int>) -> Self {
        Self(
            "number",
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            parse: { Int($0).flatMap { range.contains($0) ? $0 : nil } },
            text: { "\($0)" }
        )
    }
}

extension SettingFormat where Value == Duration {
    /// Any duration, including zero.
    static var duration: Self { duration("such as 500ms, 3s, 10m, 12h or 30d") { _ in true } }

    static var positiveDuration: Self {
        duration("greater than zero, such as 500ms, 3s, 10m, 12h or 30d") { $0 > .zero }
    }

    static func positiveDuration(atMost longest: Duration) -> Self {
        duration("greater than zero and at most \(longest.settingText)") { $0 > .zero && $0 <= longest }
    }

    static func duration(atMost longest: Duration) -> Self {
        duration("of at most \(longest.settingText)") { $0 <= longest }
    }

    static func duration(atLeast shortest: Duration) -> Self {
        duration("of at least \(shortest.settingText)") { $0 >= shortest }
    }

    private static func duration(_ bounds: String, _ isAllowed: @escaping @Sendable (Duration) -> Bool) -> Self {
        Self(
            "duration",
            expected: "a duration \(bounds)",
            parse: { Duration(text: $0).flatMap { isAllowed($0) ? $0 : nil } },
            text: \.settingText
        )
    }
}

extension SettingFormat where Value == Set<String> {
    /// Returns the format of a list whose order does not matter.
    static func texts(_ placeholder: String) -> Self {
        Self(
            placeholder,
            kind: .list,
            expected: "a list of texts",
            parse: { Set($0.split(separator: ",").map(String.init)) },
            text: { $0.isEmpty ? nil : $0.sorted().joined(separator: ",") }
        )
    }
}

extension SettingFormat where Value: RawRepresentable & CaseIterable & SendableMetatype, Value.RawValue == String {
    static var choice: Self {
        let choices = Value.allCases.map(\.rawValue)
        return Self(
            choices.joined(separator: "|"),
            expected: "one of \(choices.joined(separator: ", "))",
            parse: { Value(rawValue: $0) },
            text: \.rawValue
        )
    }
}

extension SettingFormat where Value == URL {
    static var file: Self { Self("file", expected: "a path", parse: { URL(filePath: $0) }, text: \.relativePath) }

    static var directory: Self {
        Self(
            "directory",
            expected: "a path",
            parse: { URL(filePath: $0, directoryHint: .isDirectory) },
            text: \.relativePath
        )
    }
}

extension SettingFormat where Value == ListenAddress {
    static var listenAddress: Self {
        Self(
            "[address:]port",
            expected: "a port or ADDRESS:PORT",
            parse: { ListenAddress($0) },
            text: { "\($0.host):\($0.port)" }
        )
    }
}

extension SettingFormat {
    /// Returns the format of a list: a repeatable option, an array in a file, or texts between commas.
    static func list<Element>(
        _ placeholder: String,
        parse: @escaping @Sendable (String) throws(SettingError) -> Element,
        text: @escaping @Sendable (Element) -> String
    ) -> Self where Value == [Element] {
        Self(
            placeholder,
            kind: .list,
            parse: { line throws(SettingError) in
                var elements: [Element] = []
                for part in line.split(separator: ",") { elements.append(try parse(String(part))) }
                return elements
            },
            text: { $0.isEmpty ? nil : $0.map(text).joined(separator: ",") }
        )
    }
}

extension Duration {
    /// The duration in the largest unit that leaves no remainder, in the format of settings.
    var settingText: String {
        let seconds = Int(components.seconds)
        if components.attoseconds != 0 {
            return "\(seconds * 1000 + Int(components.attoseconds / 1_000_000_000_000_000))ms"
        }
        for (length, unit) in [(86_400, "d"), (3600, "h"), (60, "m")] where seconds > 0 && seconds % length == 0 {
            return "\(seconds / length)\(unit)"
        }
        return "\(seconds)s"
    }
}
