// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetCommandLine
import FreshetIdentity
import FreshetServer

/// `freshet keys add`.
struct KeysAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Publishes a new key without using it until it is promoted; prints its number."
    )

    @Argument(help: "es256 or mac.")
    var kind: String

    @OptionGroup var options: KeyOptions

    func run() throws {
        let kind = try KeyOptions.kind(kind)
        let keys = try options.administration()
        Output.line("\(try KeyOptions.mapErrors { try keys.add(kind, now: options.now) })")
    }
}
