// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser

/// `freshet keys`: manages the keys of a running server.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Shows and changes the keys of a server, while it runs.",
        discussion: """
            There are two kinds: es256 signs access tokens, mac makes refresh tokens. A new key is published first, then \
            used, and kept until the last token under the one before is over. Running servers notice by themselves.

            Example:
              freshet keys rotate es256 --data ./freshet-data
            """,
        subcommands: [
            KeysListCommand.self, KeysRotateCommand.self, KeysAddCommand.self, KeysPromoteCommand.self,
            KeysRetireCommand.self,
        ]
    )
}
