// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetEngine
import FreshetIdentity
import FreshetServer

/// `freshet keys list`.
struct KeysListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the keys with their kind, number, state and the time of the last change.",
        discussion: """
            States: published (waits to be promoted), in-use-from (will be used from that time on), in-use, verifies \
            (replaced; verifies older tokens), missing (its file was not found, although sessions need it).

            Example:
              freshet keys list --data ./freshet-data
            """
    )

    @OptionGroup var options: KeyOptions

    func run() throws {
        let keys = try options.administration()
        // A list of files does not require a reachable database.
        let missing = (try? keys.missing()) ?? []
        var views = missing.map { KeyView(.mac, $0, state: "missing") }
        for kind in KeyKind.allCases {
            if !missing.isEmpty, (try? keys.chain(kind, now: options.now)) == nil { continue }
            let chain = try options.mapErrors { try keys.chain(kind, now: options.now) }
            for member in chain.members {
                let (state, recorded) = Self.state(of: member, in: chain)
                // Without a record, the schedule says the present time.
                let moment = try options.mapErrors {
                    try keys.unrecordedTime(of: kind, member.id, in: chain)?.milliseconds
                }
                views.append(KeyView(kind, member.id, state: state, at: moment ?? recorded))
            }
        }
        if options.json { return try Output.json(views) }
        Output.table(KeyView.columns, views.map(\.cells), right: [1])
    }

    private static func state(of member: KeySchedule.Member, in chain: KeySchedule) -> (String, Int64) {
        if member.id == chain.current { return ("in-use", chain.currentSince) }
        if let superseded = member.supersededAt { return ("verifies", superseded) }
        if let promotion = chain.promotion, promotion.id == member.id { return ("in-use-from", promotion.at) }
        return ("published", member.addedAt)
    }
}
