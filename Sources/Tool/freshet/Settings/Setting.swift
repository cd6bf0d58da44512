// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A setting of `freshet serve`, declared once.
///
/// The flag, the environment variable, the member of the settings file, the line of `--print-config`, the text of
/// `--help` and the row in docs/handbook/settings.md are derived from this declaration.
struct Setting: Sendable {
    /// The flag without its dashes, which is also the member of a settings file.
    let name: String
    /// A former name, which works wherever the name does.
    let alias: String?
    /// A sentence, without a full stop and without the default.
    let help: String
    /// Further sentences.
    let details: String
    /// The page of docs/handbook, or its section, that has more; `Scripts/embed-settings` links it.
    let reference: String?
    /// The name of the value in the help, such as `duration`.
    let placeholder: String
    let kind: Kind
    let places: Places
    let masking: SettingMasking
    /// The default in words, for a default that depends on the machine or on other settings.
    private let defaultNote: String?
    /// Parses a text and stores the value in its field.
    let apply: @Sendable (String, inout ServeSettings) throws(SettingError) -> Void
    /// The value of the field in the format of a setting; `nil` if there is none.
    let value: @Sendable (ServeSettings) -> String?

    /// The shape of a setting on the command line.
    enum Kind: Sendable { case value, list, flag }

    /// The sources in which a setting is allowed.
    enum Places: Sendable {
        case everywhere
        /// The environment and the file only, for secrets: every user of the machine can read a command line.
        case environmentAndFile
        case environment
    }

    /// The environment variable.
    var variable: String { Self.variable(name) }

    var names: [String] { [name] + (alias.map { [$0] } ?? []) }

    /// The default as shown in the help and in documents; `nil` if there is none.
    var defaultText: String? { defaultNote ?? value(ServeSettings()) }

    static func variable(_ name: String) -> String {
        "FRESHET_" + name.uppercased().replacing("-", with: "_")
    }
}

extension Setting {
    /// Declares a setting whose field always has a value.
    init<Value>(
        _ name: String,
        alias: String? = nil,
        _ help: String,
        details: String = "",
        see reference: String? = nil,
        _ field: any WritableKeyPath<ServeSettings, Value> & Sendable,
        _ format: SettingFormat<Value>,
        placeholder: String? = nil,
        defaultNote: String? = nil,
        places: Places = .everywhere,
        masking: SettingMasking = .credentials
    ) {
        self.name = name
        self.alias = alias
        self.help = help
        self.details = details
        self.reference = reference
        self.placeholder = placeholder ?? format.placeholder
        self.kind = format.kind
        self.places = places
        self.masking = masking
        self.defaultNote = defaultNote
        apply = { text, settings throws(SettingError) in settings[keyPath: field] = try format.parse(text) }
        value = { format.text($0[keyPath: field]) }
    }

    /// Declares a setting whose field is `nil` unless the setting is given.
    init<Value>(
        _ name: String,
        _ help: String,
        details: String = "",
        see reference: String? = nil,
        _ field: any WritableKeyPath<ServeSettings, Value?> & Sendable,
        _ format: SettingFormat<Value>,
        placeholder: String? = nil,
        defaultNote: String? = nil,
        places: Places = .everywhere,
        masking: SettingMasking = .credentials
    ) {
        self.init(
            name,
            help,
            details: details,
            see: reference,
            field,
            format.optional,
            placeholder: placeholder,
            defaultNote: defaultNote,
            places: places,
            masking: masking
        )
    }
}
