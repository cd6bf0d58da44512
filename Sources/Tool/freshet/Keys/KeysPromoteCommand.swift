// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetIdentity
import FreshetServer

/// `freshet keys promote`.
struct KeysPromoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Starts using a published key."
    )

    @Argument(help: "es256 or mac.")
    var kind: String

    @Argument(help: "The key's number.")
    var id: UInt8

    @Flag(
        help: """
            Promotes the key although services that verify tokens may not have fetched it yet: they reject its tokens \
            until they do.
            """
    )
    var force = false

    @OptionGroup var options: KeyOptions

    func run() throws {
        let kind = try KeyOptions.kind(kind)
        let keys = try options.administration()
        try KeyOptions.mapErrors { try keys.promote(kind, id, now: options.now, isForced: force) }
    }
}
