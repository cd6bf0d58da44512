// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import FreshetKit

extension ContractValues {
    /// Checks that the command line has the values that the contract requires.
    ///
    /// - Throws: A usage error that names the option to add or remove.
    func checkUsage(of contract: Contract) throws {
        do throws(VariableError) { try check(contract) } catch {
            switch error {
            case .missing(let name, let about):
                let meaning = about.map { " (\($0))" } ?? ""
                throw ToolError.usage("\(contract.name) needs a value for \(name)\(meaning): add --set \(name)=VALUE")
            case .unknown(let name):
                let document = contract.document
                let known = (Array(document.variables.keys) + Array(document.secrets.keys)).sorted()
                let open = known.isEmpty ? "it has none" : "there are \(known.joined(separator: ", "))"
                throw ToolError.usage("\(contract.name) has no variable or secret \(name); \(open)")
            }
        }
    }
}
