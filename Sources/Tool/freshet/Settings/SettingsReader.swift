// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Configuration
import Foundation
import FreshetSystem

/// Looks up settings on the command line, in the environment, and in a file, in this order.
struct SettingsReader {
    /// The settings that are looked up, in the order in which they are applied.
    let settings: [Setting]
    /// The environment variables that look like settings and are none, by name.
    let unknownVariables: [UnknownVariable]
    private let sources: [(source: SettingSource, value: (String) -> String?)]

    /// Creates a reader, and reads the settings file if one is named.
    ///
    /// - Parameters:
    ///   - settings: The settings that are looked up.
    ///   - file: The JSON file named on the command line; without one, `FRESHET_CONFIG` may name the file.
    ///   - commandLine: The values on the command line, by the name that was used.
    ///   - environment: The environment variables.
    /// - Throws: A usage error if the file is not a JSON file with settings, or has a member that is not a setting.
    init(
        _ settings: [Setting] = ServeSettings.all,
        file: String?,
        commandLine: [String: String],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        self.settings = settings
        unknownVariables = UnknownVariable.all(in: environment, settings)
        // swift-configuration needs it.
        guard #available(macOS 15, *) else { throw ToolError.usage("settings are read on macOS 15 and later") }
        let variables = EnvironmentVariablesProvider(environmentVariables: environment)
        var sources = [
            (SettingSource.commandLine, Self.lookup(Self.provider(commandLine))),
            (.environment, Self.lookup(variables.prefixKeys(with: "freshet"))),
        ]
        if let path = file ?? environment["FRESHET_CONFIG"] {
            let names = settings.filter { $0.places != .environment }.flatMap(\.names)
            let file = try SettingsFile(path: path, names: Set(names))
            try Self.checkSecrets(of: file, settings)
            sources.append((.file(path), Self.lookup(Self.provider(file.values))))
        }
        self.sources = sources
    }

    /// Returns the value given for a setting, and its source; `nil` if none is given.
    ///
    /// - Throws: A usage error if one source gives both the name and the alias.
    func given(_ setting: Setting) throws(ToolError) -> GivenSetting? {
        for (source, value) in sources {
            let values = setting.names.compactMap { name in
                value(name).map { GivenSetting(name: name, text: $0, source: source) }
            }
            if values.count > 1 {
                let labels = values.map(\.label).joined(separator: " and ")
                throw .usage("\(labels) are two names of the same setting: give only \(values[0].label)")
            }
            if let value = values.first { return value }
        }
        return nil
    }

    /// Applies every setting that is given.
    ///
    /// - Throws: A usage error that names the setting and the source of a value that is not allowed.
    func apply(to values: inout ServeSettings) throws(ToolError) {
        for setting in settings {
            guard let given = try given(setting) else { continue }
            do { try setting.apply(given.text, &values) } catch {
                let shown = SettingError(setting.masking.mask(error.value), error.reason)
                throw .usage("\(given.label): \(shown)")
            }
        }
    }

    /// Returns the name of a setting in messages: the one that was used, or else its flag.
    func label(_ name: String) -> String { label(ofGiven: name) ?? "--\(name)" }

    /// Returns the name of a setting in messages; `nil` if the setting was not given.
    func label(ofGiven name: String) -> String? {
        guard let setting = settings.first(where: { $0.name == name }) else { return nil }
        return (try? given(setting))?.label
    }

    /// Checks that only its user and group can read a file with a password.
    private static func checkSecrets(of file: SettingsFile, _ settings: [Setting]) throws {
        let secret = settings.first { setting in
            setting.names.contains { file.values[$0].map(setting.masking.isSecret) ?? false }
        }
        guard let secret, !PrivateFiles.isClosedToOthers(file.path) else { return }
        throw ToolError.openPasswordFile(secret.name, file.path)
    }

    @available(macOS 15, *)
    private static func lookup(_ provider: some ConfigProvider) -> (String) -> String? {
        let reader = ConfigReader(provider: provider)
        return { reader.string(forKey: ConfigKey([$0])) }
    }

    @available(macOS 15, *)
    private static func provider(_ values: [String: String]) -> InMemoryProvider {
        InMemoryProvider(
            values: values.reduce(into: [:]) { all, value in
                all[AbsoluteConfigKey([value.key])] = ConfigValue(.string(value.value), isSecret: false)
            }
        )
    }
}
