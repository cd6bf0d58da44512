// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetPages
import FreshetServer

/// The settings of `freshet serve` that concern the pages for people.
struct ServePagesOptions: ParsableArguments {
    @Flag(name: .customLong("no-pages"), help: "Serve no /account.")
    var noPages = false

    @Option(name: .customLong("pages-name"), help: "Whose accounts they are, as the pages say (default: Freshet).")
    var pagesName: String?

    @Option(name: .customLong("pages-idle"), help: "How long a sign-in to the pages lasts unused (default: 30m).")
    var pagesIdle: String?

    @Option(name: .customLong("pages-ttl"), help: "How long a sign-in to the pages lasts in all (default: 12h).")
    var pagesTTL: String?

    /// What the command line says, by the names of the settings.
    var settings: [String: String?] {
        [
            "no-pages": noPages ? "true" : nil, "pages-name": pagesName, "pages-idle": pagesIdle, "pages-ttl": pagesTTL,
        ]
    }

    /// Puts what was said anywhere into the server's configuration.
    static func read(_ reader: SettingsReader, into settings: inout PagesConfiguration) throws {
        settings.isOn = try !reader.flag("no-pages")
        settings.name = reader.text("pages-name") ?? settings.name
        settings.idle = try reader.duration("pages-idle") ?? settings.idle
        settings.absolute = try reader.duration("pages-ttl") ?? settings.absolute
    }
}
