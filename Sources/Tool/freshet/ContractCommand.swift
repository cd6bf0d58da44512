// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser

/// `freshet contract`: shows, checks, explains and tests contracts.
struct ContractCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contract",
        abstract: "Shows, checks, explains and tests contracts: descriptions of backends.",
        discussion: """
            A contract describes where a backend's requests and responses carry tokens, how their lifetimes are \
            encoded, and what its responses mean. CONTRACT is the name of a preset of this tool, or a JSON file.

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
