// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser

/// `freshet contract`: shows, checks, explains and tests contracts.
struct ContractCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contract",
        abstract: "Shows, checks, explains and tries the descriptions of backends.",
        discussion: """
            A contract says where a backend's tokens travel, how their life is written and what its answers mean. \
            CONTRACT is the name of one that comes with this tool, or a JSON file of your own.

            Example:
              freshet contract list
              freshet contract lint my-backend.json
              freshet contract test my-backend.json --base-url https://api.example.com --email ann@example.com
            """,
        subcommands: [
            ContractListCommand.self, ContractShowCommand.self, ContractLintCommand.self, ContractExplainCommand.self,
            ContractTestCommand.self,
        ],
        defaultSubcommand: ContractListCommand.self
    )
}
