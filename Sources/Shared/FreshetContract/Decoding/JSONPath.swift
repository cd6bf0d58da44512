// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Spells the way to a place in a contract file: `$.endpoints["login.code"].path`.
package enum JSONPath {
    package static let root = "$"

    /// The way to a member; names that are no plain words are quoted.
    package static func member(_ path: String, _ name: String) -> String {
        let isPlain = !name.isEmpty && name.allSatisfy { $0 == "_" || ($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return isPlain ? "\(path).\(name)" : "\(path)[\(JSONValue.string(name).jsonText)]"
    }

    /// The way to an item.
    package static func item(_ path: String, _ index: Int) -> String { "\(path)[\(index)]" }
}
