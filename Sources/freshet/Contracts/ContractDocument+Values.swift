// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract

extension ContractDocument {
    /// Makes sure that a client can fill in everything that the contract leaves open.
    ///
    /// - Throws: A usage error that says what to type.
    func check(values: [String: String]) throws {
        let missing = variables.filter { $0.value.defaultValue == nil && values[$0.key] == nil }
        if let (variable, about) = missing.min(by: { $0.key < $1.key }) {
            let meaning = about.about.map { " (\($0))" } ?? ""
            throw ToolError.usage("\(name) needs a value for \(variable)\(meaning): add --set \(variable)=VALUE")
        }
        let unknown = values.keys.filter { variables[$0] == nil && secrets[$0] == nil }.sorted()
        guard let first = unknown.first else { return }
        let known = (Array(variables.keys) + Array(secrets.keys)).sorted()
        let open = known.isEmpty ? "it leaves nothing open" : "there are \(known.joined(separator: ", "))"
        throw ToolError.usage("\(name) has no variable or secret \(first); \(open)")
    }
}
