// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetIdentity
import FreshetServer

/// The data directory and the keys.
struct DataSettings: SettingsSection {
    static let title = "Data and keys"

    fileprivate var keys: String?
    fileprivate var command: String?

    static let settings: [Setting] = [
        Setting(
            "data",
            "The directory of the database and the keys; created if it does not exist",
            \.server.dataDirectory,
            .directory
        ),
        Setting(
            "keys",
            "The keys themselves: a JWK set, or PEM",
            see: "Keys",
            \.data.keys,
            .text,
            defaultNote: "files in the data directory",
            places: .environment,
            masking: .value
        ),
        Setting(
            "keys-command",
            "A program, by its absolute path, that prints keys; its arguments are separated by spaces",
            details: "Run at the start, every minute and at SIGHUP. `FRESHET_KEYS` may hold the keys instead.",
            see: "Keys",
            \.data.command,
            .text("program"),
            defaultNote: "files in the data directory",
            masking: .arguments
        ),
        Setting(
            "rotate-keys",
            "Replaces a key once it is this old; see freshet keys",
            \.server.keys.rotation,
            .duration(atLeast: KeyConfiguration.minimumRotation),
            defaultNote: "never"
        ),
    ]

    func keySource(_ reader: SettingsReader) throws(ToolError) -> KeySource? {
        switch (keys, command) {
        case (_?, _?):
            throw .usage("\(reader.label("keys")) and \(reader.label("keys-command")): give one source of keys")
        case (let text?, nil): .text(text)
        case (nil, let command?): .program(command.split(separator: " ").map(String.init))
        case (nil, nil): nil
        }
    }
}
