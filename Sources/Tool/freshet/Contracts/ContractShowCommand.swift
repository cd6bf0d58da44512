// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetCommandLine
import FreshetKit

/// `freshet contract show`: prints a contract.
struct ContractShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints a contract, as a starting point for your own.",
        discussion: """
            Example:
              freshet contract show fastapi > my-backend.json
            """
    )

    @Argument(help: "The contract: a preset's name, or a file.", completion: .file())
    var contract: String

    @Flag(help: "Print it on one line.")
    var json = false

    func run() throws {
        let sound = try ContractChoice(contract).contract()
        if json { try Output.json(sound) } else { Output.write(sound.text) }
    }
}
