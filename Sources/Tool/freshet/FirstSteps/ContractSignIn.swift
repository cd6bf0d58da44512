// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetKit

/// The options that a command needs to sign in to a contract's backend.
struct ContractSignIn: Equatable {
    var name: String
    /// The variables without a default.
    var variables: [String]
    var secrets: [String]
    /// Whether a user signs in with an address and a password or a mailed code.
    var takesEmail: Bool

    /// The options of `freshet login` and `freshet contract test`, with places for the values.
    var options: String {
        let values = variables.map { "--set \($0)=VALUE" } + secrets.map { "--set \($0)=@FILE" }
        return (values + [takesEmail ? "--email ann@example.com" : "--tokens <tokens.json"]).joined(separator: " ")
    }
}

extension ContractSignIn {
    init(_ document: ContractDocument) {
        name = document.name
        variables = document.variables.filter { $0.value.defaultValue == nil }.keys.sorted()
        secrets = document.secrets.keys.sorted()
        takesEmail = document.endpoints[.password] != nil || document.endpoints[.code] != nil
    }

    /// The contracts that come with the tool.
    static func all() throws -> [ContractSignIn] {
        try Contract.presets.map { ContractSignIn(try ContractChoice.preset($0).contract().document) }
    }
}
