// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Configuration
import Foundation
import SystemPackage

/// Looks a setting up on the command line, in the environment, and in a file, in this order.
struct SettingsReader {
    private let commandLine: [String: String]
    private let reader: ConfigReader

    /// - Parameters:
    ///   - file: The JSON file named on the command line; else the environment may name one.
    ///   - commandLine: What the command line says, by the name of the option.
    /// - Throws: A usage error if the file is no JSON file with settings.
    init(file: String?, commandLine: [String: String?]) async throws {
        self.commandLine = commandLine.compactMapValues { $0 }
        let environment = EnvironmentVariablesProvider().prefixKeys(with: "freshet")
        var providers: [any ConfigProvider] = [environment]
        if let file = file ?? ProcessInfo.processInfo.environment["FRESHET_CONFIG"] {
            do {
                providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(file)))
            } catch {
                throw ToolError.usage("\(file): not a JSON file with settings (\(error))")
            }
        }
        reader = ConfigReader(providers: providers)
    }

    func text(_ name: String) throws -> String? {
        if let value = commandLine[name] { return value }
        let key = ConfigKey(name.split(separator: "-").map(String.init).joined(separator: "_"))
        if let value = reader.string(forKey: key) { return value }
        // A file may hold numbers and truth values as such.
        if let value = reader.int(forKey: key) { return String(value) }
        return reader.bool(forKey: key).map { String($0) }
    }

    /// What the command line lists, else a list of the environment, with commas, or of the file.
    func list(_ name: String, _ commandLine: [String]) throws -> [String] {
        if !commandLine.isEmpty { return commandLine }
        let key = ConfigKey(name.split(separator: "-").map(String.init).joined(separator: "_"))
        return reader.stringArray(forKey: key) ?? reader.string(forKey: key).map { [$0] } ?? []
    }

    func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = try text(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw ToolError.usage("\(name): \(text) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: String) throws -> Bool {
        switch try text(name)?.lowercased() {
        case nil, "false", "no", "0", "": return false
        case "true", "yes", "1": return true
        case let text?: throw ToolError.usage("\(name): \(text) is neither true nor false")
        }
    }

    func choice<Choice: RawRepresentable & CaseIterable>(_ name: String) throws -> Choice?
    where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw ToolError.usage("\(name): \(text) is none of \(choices)")
        }
        return choice
    }

    func duration(_ name: String) throws -> Duration? {
        guard let text = try text(name) else { return nil }
        guard let duration = Duration(text: text) else {
            throw ToolError.usage("\(name): \(text) is no length of time such as 500ms, 3s, 10m, 12h or 30d")
        }
        return duration
    }
}

extension Duration {
    /// Reads a whole number and a unit: `500ms`, `3s`, `10m`, `12h`, `30d`.
    init?(text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), number <= 100_000_000 else { return nil }
        switch text.dropFirst(digits.count) {
        case "ms": self = .milliseconds(number)
        case "s": self = .seconds(number)
        case "m": self = .seconds(number * 60)
        case "h": self = .seconds(number * 3600)
        case "d": self = .seconds(number * 86_400)
        default: return nil
        }
    }
}
