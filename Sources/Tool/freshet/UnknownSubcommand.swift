// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser

/// A word on the command line in the place of a subcommand, which no subcommand has as its name.
struct UnknownSubcommand: Equatable, CustomStringConvertible {
    let name: String
    /// The command whose subcommands were searched, such as `freshet users`.
    let command: String
    /// The subcommand that was probably meant, if one has nearly this name.
    let suggestion: String?

    var description: String {
        let help = suggestion.map { "did you mean \($0)?" } ?? "\(command) --help lists the subcommands"
        return "\(command) has no subcommand '\(name)'; \(help)"
    }

    /// Finds the unknown subcommand in arguments that could not be parsed, or that ask for help.
    ///
    /// - Parameter arguments: The command line without the program.
    /// - Returns: `nil` if the words before the first option are subcommands.
    static func find(in arguments: [String]) -> UnknownSubcommand? {
        var command: any ParsableCommand.Type = FreshetCommand.self
        var path = "freshet"
        for argument in arguments.prefix(while: { !$0.hasPrefix("-") }) where argument != "help" {
            let subcommands = command.configuration.subcommands
            if subcommands.isEmpty { return nil }
            guard let next = subcommands.first(where: { $0.configuration.commandName == argument }) else {
                let suggestion = argument.nearest(of: subcommands.compactMap { $0.configuration.commandName })
                return UnknownSubcommand(name: argument, command: path, suggestion: suggestion)
            }
            command = next
            path += " \(argument)"
        }
        return nil
    }
}
