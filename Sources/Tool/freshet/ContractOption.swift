// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetContractServer
import FreshetServer

/// Reads `--contract NAME[=PATH]`: a contract, and the prefix that it is served under.
struct ContractOption {
    /// The names of the contracts that come with the tool.
    var names: [String] = []
    /// Their texts.
    var text: (String) -> String? = { _ in nil }

    /// Reads one option.
    ///
    /// - Parameter option: A name that is known, or a contract's file, and after `=` the prefix, which begins with `/`.
    /// - Returns: The contract, with the lifetimes of its contract.
    /// - Throws: An error that names what is wrong, with every mistake of the contract.
    func contract(_ option: String) throws(SettingError) -> ServedContract {
        let (name, prefix) = Self.parts(option)
        let contents: [UInt8]
        if let known = self.text(name) {
            contents = Array(known.utf8)
        } else if let file = try? Data(contentsOf: URL(filePath: name)) {
            contents = Array(file)
        } else {
            let known = names.isEmpty ? "" : "; the names are \(names.joined(separator: ", "))"
            throw SettingError(name, "is neither a contract's name nor a file that can be read\(known)")
        }
        do throws(ContractDecodingError) {
            return ServedContract(try ContractDocument(reading: contents), prefix: prefix)
        } catch {
            throw SettingError(name, "is not a valid contract:\n\(error)")
        }
    }

    /// A file's name may hold `=`, so only one before a `/`, or at the end, begins a prefix.
    private static func parts(_ text: String) -> (name: String, prefix: String) {
        guard let mark = text.range(of: "=/", options: .backwards)?.lowerBound ?? text.lastIndex(of: "="),
            text[mark...].hasPrefix("=/") || text[mark...] == "="
        else { return (text, "") }
        var prefix = text[mark...].dropFirst()
        while prefix.hasSuffix("/") { prefix = prefix.dropLast() }
        return (String(text[..<mark]), String(prefix))
    }
}
