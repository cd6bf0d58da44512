// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser

/// `freshet keys`: manages the keys of a running server.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Shows and changes the keys of a server, while it runs.",
        discussion: """
            There are two kinds: es256 keys sign access tokens, mac keys authenticate refresh tokens. A new key is \
            published first and used later; the key before it is kept until its last token has expired. Running \
            servers reload the keys.

            Example:
              freshet keys rotate es256 --data ./freshet-data
            """,
        subcommands: [
            KeysListCommand.self, KeysRotateCommand.self, KeysAddCommand.self, KeysPromoteCommand.self,
            KeysRetireCommand.self,
        ]
    )
}
