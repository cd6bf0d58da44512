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
        abstract: "Publishes a new key and prints its number; it is not used until it is promoted.",
        discussion: "Example:\n  freshet keys add es256 --data ./freshet-data"
    )

    @Argument(
        help: "The kind of key: es256 (signs access tokens) or mac (authenticates refresh tokens).",
        completion: .list(KeyOptions.kinds)
    )
    var kind: String

    @OptionGroup var options: KeyOptions

    func run() throws {
        let kind = try KeyOptions.kind(kind)
        let keys = try options.administration()
        let id = try options.mapErrors(kind) { try keys.add(kind, now: options.now) }
        if options.json { try Output.json(KeyView(kind, id, state: "published")) } else { Output.line("\(id)") }
    }
}
