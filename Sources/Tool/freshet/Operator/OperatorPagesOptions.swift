// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetHTTP
import FreshetPages
import FreshetServer

/// The settings of `freshet serve` that concern the operators' pages.
struct OperatorPagesOptions: ParsableArguments {
    @Option(
        name: .customLong("operator-listen"),
        help: "Where the operators' pages are: a port of loopback, or ADDRESS:PORT (default: nowhere)."
    )
    var operatorListen: String?

    /// What the command line says, by name.
    var settings: [String: String?] { ["operator-listen": operatorListen] }

    static func read(_ reader: SettingsReader, into settings: inout OperatorPagesConfiguration) throws {
        guard let text = reader.text("operator-listen") else { return }
        guard let address = ListenAddress(text) else {
            throw ToolError.usage("operator-listen: \(text) is neither a port nor ADDRESS:PORT")
        }
        settings.listen = address
    }
}
