// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetServer
import FreshetSystem
import Testing

@testable import freshet

/// Everything that is derived from a setting's declaration.
@Suite struct `A declared setting` {
    /// Returns a value that is allowed and not the default.
    private static func sample(_ setting: Setting) -> String {
        switch (setting.name, setting.placeholder) {
        case ("password-cost", _): "12"
        case ("rotate-keys", _): "2h"
        case ("contract", _): "bitbasel"
        case ("database", _): "postgresql://user:secret@db/freshet"
        case ("keys-command", _): "/bin/cat secret"
        case ("log-level", _): "debug"
        case ("mail", _): "none"
        case (_, "number"): "17"
        case (_, "duration"): "42s"
        case (_, "flag"): "true"
        case (_, "[address:]port"): "0.0.0.0:9000"
        case (_, "address[/bits]"): "10.0.0.0/8"
        // A choice of several words, or any text.
        case (_, let placeholder): String(placeholder.split(separator: "|").last ?? "")
        }
    }

    private func reader(
        _ commandLine: [String: String] = [:],
        _ environment: [String: String] = [:],
        file: String? = nil
    ) throws -> SettingsReader {
        try SettingsReader(file: file, commandLine: commandLine, environment: environment)
    }

    private func line(_ setting: Setting, _ reader: SettingsReader) throws -> String {
        var values = ServeSettings()
        try reader.apply(to: &values)
        let lines = try EffectiveSettings(values: values, reader: reader).lines()
        return try #require(lines.first { $0.hasPrefix("\(setting.name) = ") })
    }

    @Test(arguments: ServeSettings.all)
    func `a setting changes the same field from a flag, a variable and a file`(_ setting: Setting) throws {
        let text = Self.sample(setting)
        let unchanged = setting.value(ServeSettings())
        var expected = ServeSettings()
        try setting.apply(text, &expected)
        let changed = setting.value(expected)
        #expect(changed != nil && changed != unchanged)

        func check(_ reader: SettingsReader, _ origin: String) throws {
            var values = ServeSettings()
            try reader.apply(to: &values)
            #expect(setting.value(values) == changed)
            #expect(try line(setting, reader) == "\(setting.name) = \(setting.masking.mask(text))  (\(origin))")
        }

        try check(reader([:], [setting.variable: text]), "environment, \(setting.variable)")
        if setting.places != .environment {
            let file = FileManager.default.temporaryDirectory.appending(path: "freshet-setting-\(UUID()).json")
            defer { try? FileManager.default.removeItem(at: file) }
            // A file with a password must not be readable for every user.
            try PrivateFiles.write(Array(try JSONEncoder().encode([setting.name: text])), toNewFile: file)
            try check(reader(file: file.path), "file \(file.path)")
        }
        if setting.places == .everywhere {
            let arguments = setting.kind == .flag ? ["--\(setting.name)"] : ["--\(setting.name)", text]
            try check(reader(try ServeCommand.parse(arguments).given), "command line")
        }
    }

    @Test(arguments: ServeSettings.all)
    func `a setting's default is shown in the printed settings, the help and the settings table`(_ setting: Setting)
        throws
    {
        let shown = try line(setting, reader())
        #expect(
            shown == "\(setting.name) = \(setting.value(ServeSettings()) ?? setting.defaultText ?? "none")  (default)"
        )
        #expect(SettingsTable.markdown.contains("\n| `\(setting.name)` | \(setting.defaultText ?? "none") |"))
        let terms = Set(Self.help.split(whereSeparator: \.isWhitespace).map(String.init))
        // Lines of the help are broken at spaces.
        let text = Self.help.filter { !$0.isWhitespace }
        #expect(terms.contains("--\(setting.name)") == (setting.places == .everywhere))
        if setting.places == .everywhere {
            #expect(text.contains(setting.help.filter { !$0.isWhitespace }))
            if setting.kind != .flag, let value = setting.defaultText {
                #expect(text.contains("(default:\(value))".filter { !$0.isWhitespace }))
            }
        }
    }

    private static let help = ServeCommand.helpMessage(columns: 120)

    @Test func `the printed settings contain the effective defaults`() throws {
        var values = ServeSettings()
        let reader = try reader(["mail-queue": "100", "apple-audience": "com.example.app"])
        try reader.apply(to: &values)
        let lines = try EffectiveSettings(values: values, reader: reader).lines()
        for line in [
            "codes-per-day = 10  (default)", "sign-up = open  (default)", "mail-per-domain = 50  (default)",
            "mail-per-source = 25  (default)", "apple-keys = \(ServerConfiguration.appleAddress)  (default)",
            "database-timeout = 10s  (default)", "refreshes-per-session = 1  (default)", "drain = 10s  (default)",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func `setting names are unique, and every serve option is a declared setting or a known run option`() throws {
        let names = ServeSettings.all.flatMap(\.names)
        #expect(Set(names).count == names.count)
        let flags = Self.help.matches(of: /--([a-z-]+)/).map { String($0.1) }
        let run: Set = ["config", "print-config", "check-config", "backend", "faults", "help", "json", "dev"]
        let declared = Set(ServeSettings.all.filter { $0.places == .everywhere }.map(\.name))
        #expect(Set(flags).subtracting(run) == declared)
        // The former name is not advertised.
        #expect(!Self.help.contains("dialect"))
    }

    @Test(arguments: ServeSettings.all)
    func `every setting is in the handbook's table in the form that embed-settings writes`(_ setting: Setting) throws {
        let document = URL(filePath: #filePath).appending(path: "../../../docs/handbook/settings.md")
        let text = try String(contentsOf: document.standardizedFileURL, encoding: .utf8)
        let option = setting.places == .everywhere ? "`--\(setting.name)`" : "-"
        let key = setting.places == .environment ? "-" : "`\(setting.name)`"
        let meaning = setting.help.replacing("|", with: "\\|")
        let row = "\n| \(option) | `\(setting.variable)` | \(key) | \(setting.defaultText ?? "none") | \(meaning)"
        #expect(text.contains(row), "run Scripts/embed-settings")
    }
}
