// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetCommandLine
import FreshetIdentity
import FreshetServer

/// `freshet keys rotate`.
struct KeysRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Publishes a new key, which takes over by itself in a quarter of an hour."
    )

    @Argument(help: "es256 or mac.")
    var kind: String

    @OptionGroup var options: KeyOptions

    func run() throws {
        let kind = try KeyOptions.kind(kind)
        let keys = try options.administration()
        try KeyOptions.mapErrors { _ = try keys.rotate(kind, now: options.now) }
        Output.note("freshet: a new key is published, and used in a quarter of an hour")
    }
}
