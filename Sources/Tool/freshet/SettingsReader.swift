// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Configuration
import Foundation
import FreshetCommandLine
import FreshetIdentity
import FreshetServer

/// Looks a setting up on the command line, in the environment, and in a file, in this order.
struct SettingsReader {
    private let reader: ConfigReader
    private let commandLine: [String: String]
    private let environment: [String: String]
    private let file: SettingsFile?
    /// Every setting there is.
    let names: Set<String>

    /// - Parameters:
    ///   - file: The JSON file named on the command line; else the environment may name one.
    ///   - commandLine: What the command line says, by the name of the option; it has every setting there is.
    ///   - environment: The variables; a setting's is `FRESHET_` and its name in capitals, with `_` for `-`.
    /// - Throws: A usage error if the file is no JSON file with settings, or has one that there is not.
    init(
        file: String?,
        commandLine: [String: String?],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        names = Set(commandLine.keys)
        self.commandLine = commandLine.compactMapValues { $0 }
        self.environment = environment
        var providers: [any ConfigProvider] = [
            Self.provider(commandLine.compactMapValues { $0 }),
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "freshet"),
        ]
        if let path = file ?? environment["FRESHET_CONFIG"] {
            let file = try SettingsFile(path: path, names: names)
            providers.append(Self.provider(file.values))
            self.file = file
        } else {
            self.file = nil
        }
        reader = ConfigReader(providers: providers)
    }

    private static func provider(_ values: [String: String]) -> InMemoryProvider {
        InMemoryProvider(
            values: values.reduce(into: [:]) { all, value in
                all[AbsoluteConfigKey([value.key])] = ConfigValue(.string(value.value), isSecret: false)
            }
        )
    }

    /// What was given for a setting, and where; `nil` if nobody gave it.
    func origin(of name: String) -> (value: String, origin: String)? {
        let variable = "FRESHET_" + name.uppercased().replacing("-", with: "_")
        if let value = commandLine[name] { return (value, "command line") }
        if let value = environment[variable] { return (value, "environment, \(variable)") }
        if let file, let value = file.values[name] { return (value, "file \(file.path)") }
        return nil
    }

    /// A list as one text, for the command line; `nil` for an empty one.
    static func text(_ list: [String]) -> String? { list.isEmpty ? nil : list.joined(separator: ",") }

    /// The parts of a text between commas, or the items of a file's list.
    func list(_ name: String) -> [String] { text(name)?.split(separator: ",").map(String.init) ?? [] }

    /// Where keys come from: neither a command line, which everybody can read, nor a file of settings holds them.
    func keySource() throws -> KeySource? {
        let command = text("keys-command")?.split(separator: " ").map(String.init)
        switch (environment["FRESHET_KEYS"], command) {
        case (_?, _?): throw ToolError.usage("keys-command and FRESHET_KEYS: keys come from one place")
        case (let text?, nil): return .text(text)
        case (nil, let words?): return .program(words)
        case (nil, nil): return nil
        }
    }

    func text(_ name: String) -> String? { reader.string(forKey: ConfigKey([name])) }

    func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw ToolError.usage("\(name): \(text) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: String) throws -> Bool {
        switch text(name)?.lowercased() {
        case nil, "false", "no", "0", "": return false
        case "true", "yes", "1": return true
        case let text?: throw ToolError.usage("\(name): \(text) is neither true nor false")
        }
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ name: String) throws -> Choice?
    where Choice.RawValue == String {
        guard let text = text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw ToolError.usage("\(name): \(text) is none of \(choices)")
        }
        return choice
    }

    func duration(_ name: String) throws -> Duration? {
        guard let text = text(name) else { return nil }
        guard let duration = Duration(text: text) else {
            throw ToolError.usage("\(name): \(text) is no length of time such as 500ms, 3s, 10m, 12h or 30d")
        }
        return duration
    }
}
