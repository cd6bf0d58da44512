// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetKit

/// `freshet contract show`: a contract as it is written.
struct ContractShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints a contract as it is written: the best start for one of your own.",
        discussion: """
            Example:
              freshet contract show fastapi > my-backend.json
            """
    )

    @Argument(help: "The contract: a preset's name, or a file.")
    var contract: String

    @Flag(help: "Print it on one line.")
    var json = false

    func run() throws {
        let data = try ContractChoice.data(contract)
        let sound = try ContractChoice.contract(from: data, named: contract)
        if json { return try Output.json(sound) }
        let text = String(decoding: data, as: UTF8.self)
        Output.write(text.hasSuffix("\n") ? text : text + "\n")
    }
}
