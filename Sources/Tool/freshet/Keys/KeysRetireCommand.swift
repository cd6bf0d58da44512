// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetIdentity
import FreshetServer

/// `freshet keys retire`.
struct KeysRetireCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire",
        abstract: "Deletes a key that no token needs.",
        discussion: "Example:\n  freshet keys retire mac 1 --data ./freshet-data"
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
            Retire the key even if its file is lost, or if tokens of it may still be used: clients then refresh access \
            tokens of an es256 key, and the users of refresh tokens of a mac key have to sign in again.
            """
    )
    var force = false

    @Option(
        name: .customLong("access-ttl"),
        help: """
            The server's access-ttl: a replaced es256 key is kept until the last token that it signed has expired \
            (default: FRESHET_ACCESS_TTL, else 10m).
            """
    )
    var accessTTL: String?

    @OptionGroup var options: KeyOptions

    func run() throws {
        let kind = try KeyOptions.kind(kind)
        let lifetime = accessTTL ?? ProcessInfo.processInfo.environment["FRESHET_ACCESS_TTL"]
        let keys = try options.administration(accessTTL: lifetime)
        try options.mapErrors(kind) { try keys.retire(kind, id, now: options.now, isForced: force) }
        if options.json { return try Output.json(KeyView(kind, id, state: "retired")) }
        Output.note("Key \(id) is retired.")
    }
}
