// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Logging

/// The command-line options of one section's settings.
///
/// ArgumentParser finds options by reflection, as it finds property wrappers, so the mirror of this type has one option
/// per setting. `SettingsTests` parses every setting, to detect a later version that finds options in another way.
struct SettingOptions<Section: SettingsSection>: ParsableArguments, CustomReflectable {
    /// The given values, by the name that was used: a setting's name or its alias.
    private(set) var values: [String: String] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for setting in Self.settings {
            for name in setting.names {
                let key = Key(stringValue: name)
                switch setting.kind {
                case .value: values[name] = try container.decodeIfPresent(String.self, forKey: key)
                case .flag: values[name] = try container.decode(Bool.self, forKey: key) ? "true" : nil
                case .list:
                    let list = try container.decode([String].self, forKey: key)
                    values[name] = list.isEmpty ? nil : list.joined(separator: ",")
                }
            }
        }
    }

    var customMirror: Mirror {
        let children = Self.settings.flatMap { setting in
            setting.names.map { (label: Optional($0), value: Self.option(setting, $0)) }
        }
        return Mirror(self, children: children)
    }

    private static var settings: [Setting] { Section.settings.filter { $0.places == .everywhere } }

    private static func option(_ setting: Setting, _ name: String) -> Any {
        let flag = NameSpecification.customLong(name)
        let help = ArgumentHelp(
            setting.helpText,
            discussion: setting.details.replacing("`", with: ""),
            valueName: setting.placeholder,
            // An alias is accepted, but not shown in the help.
            visibility: name == setting.name ? .default : .hidden
        )
        return switch setting.kind {
        case .value: Option<String?>(name: flag, help: help, completion: completion(of: setting))
        case .list: Option<[String]>(wrappedValue: [], name: flag, help: help)
        case .flag: Flag<Bool>(wrappedValue: false, name: flag, help: help)
        }
    }

    private static func completion(of setting: Setting) -> CompletionKind? {
        switch setting.placeholder {
        case "file", "program": .file()
        case "directory": .directory
        case "level": .list(Logger.Level.allCases.map(\.rawValue))
        case let text where text.contains("|"): .list(text.split(separator: "|").map(String.init))
        default: nil
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}

extension Setting {
    /// The sentence that `--help` prints: what the setting is, whether it may be repeated, and its default.
    fileprivate var helpText: String {
        var text = help
        if kind == .list { text += "; may be repeated" }
        if kind != .flag, let defaultText { text += " (default: \(defaultText))" }
        return text + "."
    }
}
