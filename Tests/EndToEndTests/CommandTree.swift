// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Testing

@testable import freshet

/// A command of the tool, found in the tree of its subcommands.
struct CommandNode: CustomTestStringConvertible, Sendable {
    /// The words that name it, without the program: `["keys", "list"]`.
    let path: [String]
    let abstract: String
    let isLeaf: Bool

    /// All commands, so that no test leaves out a new one.
    static let all = nodes(of: FreshetCommand.self, path: [])
    static var leaves: [CommandNode] { all.filter(\.isLeaf) }

    private static func nodes(of command: any ParsableCommand.Type, path: [String]) -> [CommandNode] {
        let configuration = command.configuration
        let node = CommandNode(path: path, abstract: configuration.abstract, isLeaf: configuration.subcommands.isEmpty)
        return [node]
            + configuration.subcommands.flatMap {
                nodes(of: $0, path: path + [$0.configuration.commandName ?? "\($0)"])
            }
    }

    var name: String { (["freshet"] + path).joined(separator: " ") }
    var testDescription: String { name }
}
