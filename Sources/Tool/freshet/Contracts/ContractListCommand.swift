// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetContract
import FreshetKit

/// `freshet contract list`: the contracts that come with the tool.
struct ContractListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the contract presets of this tool.",
        discussion: """
            Example:
              freshet contract list --json
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let views = try Contract.presets.map { View(try ContractChoice.preset($0).contract().document) }
        if json { return try Output.json(views) }
        Output.table(["name", "backend", "rotation"], views.map { [$0.name, $0.title, $0.rotation] })
    }

    struct View: Encodable {
        var name: String
        var title: String
        var rotation: String
        var signIns: [String]
        /// Values that the app must pass at run time.
        var variables: [String]
        var secrets: [String]

        private enum CodingKeys: String, CodingKey {
            case name, title, rotation, variables, secrets
            case signIns = "sign_ins"
        }

        init(_ contract: ContractDocument) {
            name = contract.name
            title = contract.title
            rotation = contract.rotation.rawValue
            signIns = contract.endpoints.keys.filter(\.isLogin).map(\.text).sorted()
            variables = contract.variables.filter { $0.value.defaultValue == nil }.keys.sorted()
            secrets = contract.secrets.keys.sorted()
        }
    }
}
