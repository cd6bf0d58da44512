// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser

/// `freshet keys`: manages the keys of a running server.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Shows and changes the keys of a server, while it runs.",
        discussion: """
            Two kinds of keys are managed here: es256 keys sign access tokens, mac keys authenticate refresh tokens. A key \
            goes through three states. Published: services that verify tokens can fetch it. In use: the server \
            makes new tokens with it. Replaced: it still verifies older tokens until they expire. Running servers \
            reload the keys by themselves.

            Example:
              freshet keys rotate es256 --data ./freshet-data
            """,
        subcommands: [
            KeysListCommand.self, KeysRotateCommand.self, KeysAddCommand.self, KeysPromoteCommand.self,
            KeysRetireCommand.self,
        ],
        defaultSubcommand: KeysListCommand.self
    )
}
