// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The settings as tables in Markdown, from which `Scripts/embed-settings` writes docs/handbook/settings.md.
enum SettingsTable {
    /// One table per section.
    static var markdown: String {
        ServeSettings.sections.map { section in
            (["### \(section.title)", "", "| setting | default | |", "|---|---|---|"] + section.settings.map(row))
                .joined(separator: "\n")
        }
        .joined(separator: "\n\n")
    }

    private static func row(_ setting: Setting) -> String {
        var text = setting.help + (setting.kind == .list ? "; may be repeated." : ".")
        if !setting.details.isEmpty { text += " \(setting.details)" }
        switch setting.places {
        case .everywhere: break
        case .environmentAndFile:
            text += " In the environment (`\(setting.variable)`) or the file, not on the command line."
        case .environment: text += " In the environment (`\(setting.variable)`) only."
        }
        if let reference = setting.reference { text += " See \(reference)." }
        if let alias = setting.alias { text += " Its former name `\(alias)` works, too." }
        return "| `\(setting.name)` | \(setting.defaultText ?? "none") | \(text.replacing("|", with: "\\|")) |"
    }
}
