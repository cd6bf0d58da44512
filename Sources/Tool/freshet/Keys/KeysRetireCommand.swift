// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetIdentity
import FreshetServer

/// `freshet keys retire`.
struct KeysRetireCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire",
        abstract: "Removes a key that no token needs."
    )

    @Argument(help: "es256 or mac.")
    var kind: String

    @Argument(help: "The key's number.")
    var id: UInt8

    @Flag(help: "Retires the key even if live sessions use it (their users sign in again) or its file is lost.")
    var force = false

    @OptionGroup var options: KeyOptions

    func run() throws {
        let kind = try KeyOptions.kind(kind)
        let keys = try options.administration()
        try KeyOptions.mapErrors { try keys.retire(kind, id, now: options.now, isForced: force) }
    }
}
