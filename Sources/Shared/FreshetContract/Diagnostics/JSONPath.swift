// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A notation for places in a contract file: `$.endpoints["login.code"].path`.
package enum JSONPath {
    package static let root = "$"

    /// Returns the path of a member; names other than letters, digits and `_` are quoted.
    package static func member(_ path: String, _ name: String) -> String {
        let isPlain = !name.isEmpty && name.allSatisfy { $0 == "_" || ($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return isPlain ? "\(path).\(name)" : "\(path)[\(JSONValue.string(name).jsonText)]"
    }

    /// Returns the path of an item.
    package static func item(_ path: String, _ index: Int) -> String { "\(path)[\(index)]" }
}
