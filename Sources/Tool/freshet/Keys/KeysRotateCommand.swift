// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetCommandLine
import FreshetEngine
import FreshetIdentity
import FreshetServer

/// `freshet keys rotate`.
struct KeysRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Publishes a new key and prints its number; servers use it after 15 minutes.",
        discussion: """
            In these 15 minutes services that verify tokens fetch the key. To choose the time yourself, use keys add \
            and keys promote.

            Example:
              freshet keys rotate es256 --data ./freshet-data
            """
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
        let promotion = try options.mapErrors(kind) { try keys.rotate(kind, now: options.now) }
        if options.json {
            return try Output.json(KeyView(kind, promotion?.id, state: "in-use-from", at: promotion?.at))
        }
        if let promotion {
            Output.line("\(promotion.id)")
            Output.note("Servers use key \(promotion.id) in 15 minutes.")
        }
    }
}
