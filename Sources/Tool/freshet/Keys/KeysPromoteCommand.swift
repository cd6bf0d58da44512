// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetCommandLine
import FreshetIdentity
import FreshetServer

/// `freshet keys promote`.
struct KeysPromoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Makes new tokens with a published key from now on.",
        discussion: "Example:\n  freshet keys promote es256 3 --data ./freshet-data"
    )

    @Argument(
        help: "The kind of key: es256 (signs access tokens) or mac (authenticates refresh tokens).",
        completion: .list(KeyOptions.kinds)
    )
    var kind: String

    @Argument(help: "The key's number.")
    var id: UInt8

    @Flag(
        help: """
            Promote the key even if it was published less than 15 minutes ago. A service that has not fetched it yet \
            rejects its tokens until it does.
            """
    )
    var force = false

    @OptionGroup var options: KeyOptions

    func run() throws {
        let kind = try KeyOptions.kind(kind)
        let keys = try options.administration()
        try options.mapErrors(kind) { try keys.promote(kind, id, now: options.now, isForced: force) }
        if options.json { return try Output.json(KeyView(kind, id, state: "in-use")) }
        Output.note("Key \(id) is in use.")
    }
}
