// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The settings that a server would run with, and the source of each.
struct EffectiveSettings {
    let values: ServeSettings
    let reader: SettingsReader

    /// A setting as it is printed.
    struct View: Encodable {
        var name: String
        /// The value, with secrets masked; `nil` if there is none.
        var value: String?
        var source: String
        /// The words for no value, as in the table of settings.
        var absence: String

        var line: String { "\(name) = \(value ?? absence)  (\(source))" }

        private enum CodingKeys: String, CodingKey { case name, value, source }
    }

    /// Returns one line per setting, sorted by name.
    func lines() throws -> [String] { try views().map(\.line) }

    /// Returns the settings, sorted by name.
    func views() throws -> [View] {
        try reader.settings.sorted { $0.name < $1.name }.map { setting in
            let given = try reader.given(setting)
            // A flag can be given in several forms, such as "yes".
            let text = setting.kind == .flag ? setting.value(values) : given?.text ?? setting.value(values)
            let value = text.map(setting.masking.mask)
            return View(
                name: setting.name,
                value: value,
                source: given?.origin ?? "default",
                absence: setting.defaultText ?? "none"
            )
        }
    }
}
