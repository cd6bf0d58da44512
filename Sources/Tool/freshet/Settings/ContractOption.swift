// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetContractServer
import FreshetServer

/// A parser of `--contract NAME[=PATH]`: a contract, and the prefix under which it is served.
struct ContractOption {
    /// The names of the contracts that come with the tool.
    var names: [String] = []
    /// Returns the text of a contract that comes with the tool.
    var text: (String) -> String? = { _ in nil }

    /// Parses one option.
    ///
    /// - Parameter option: The name of a known contract or a file, and after `=` the prefix, which begins with `/`.
    /// - Returns: The contract, with the lifetimes that it states.
    /// - Throws: An error that lists all errors of the contract.
    func contract(_ option: String) throws(SettingError) -> ServedContract {
        let (name, prefix) = Self.parts(option)
        let contents: [UInt8]
        if let known = self.text(name) {
            contents = Array(known.utf8)
        } else if let file = try? Data(contentsOf: URL(filePath: name)) {
            contents = Array(file)
        } else {
            let known = names.isEmpty ? "" : "; the names are \(names.joined(separator: ", "))"
            let prefix = name.contains("=") ? "; a prefix begins with /, as in NAME=/PREFIX" : ""
            throw SettingError(name, "is neither a preset's name nor a readable file\(prefix)\(known)")
        }
        do throws(ContractDecodingError) {
            return ServedContract(try ContractDocument(reading: contents), prefix: prefix)
        } catch {
            throw SettingError(name, "is not a valid contract:\n\(error)")
        }
    }

    /// Splits an option: a file name may contain `=`, so only `=/`, or `=` at the end, starts a prefix.
    private static func parts(_ text: String) -> (name: String, prefix: String) {
        guard let mark = text.range(of: "=/", options: .backwards)?.lowerBound ?? text.lastIndex(of: "="),
            text[mark...].hasPrefix("=/") || text[mark...] == "="
        else { return (text, "") }
        var prefix = text[mark...].dropFirst()
        while prefix.hasSuffix("/") { prefix = prefix.dropLast() }
        return (String(text[..<mark]), String(prefix))
    }
}
