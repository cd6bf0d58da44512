// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The settings that a server would run with, and the source of each.
struct EffectiveSettings {
    let values: ServeSettings
    let reader: SettingsReader

    /// Returns one line per setting, sorted by name, with secrets masked.
    func lines() throws -> [String] {
        try reader.settings.sorted { $0.name < $1.name }.map { setting in
            let given = try reader.given(setting)
            let value = given?.text ?? setting.value(values)
            let shown = value.map(setting.masking.mask) ?? "none"
            return "\(setting.name) = \(shown)  (\(given?.origin ?? "default"))"
        }
    }
}
