// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetWire

/// `NAME=VALUE` on the command line, or `NAME=@FILE` to keep a value out of the shell's history.
struct NamedValue: Masked, Equatable {
    var name: String
    /// The value, which may be a secret.
    var value: String

    init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Parses one argument.
    static func read(_ text: String) throws -> NamedValue {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { throw ValidationError("it must be NAME=VALUE or NAME=@FILE") }
        let value = String(parts[1])
        guard value.hasPrefix("@") else { return NamedValue(name: String(parts[0]), value: value) }
        let path = String(value.dropFirst())
        guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
        else { throw ValidationError("\(path): cannot be read") }
        // Editors end files with a newline, which is not part of a secret.
        return NamedValue(name: String(parts[0]), value: String(text.trimmingSuffix(while: \.isNewline)))
    }

    var mask: String { "\(name)=•••" }
}

extension Sequence<NamedValue> {
    /// The values by name; for a repeated name, the last value is used.
    var byName: [String: String] { Dictionary(map { ($0.name, $0.value) }) { $1 } }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> SubSequence {
        var end = endIndex
        while end > startIndex, predicate(self[index(before: end)]) { end = index(before: end) }
        return self[..<end]
    }
}
