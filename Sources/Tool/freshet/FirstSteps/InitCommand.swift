// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetCommandLine

/// `freshet init`: asks what a team has, and prints the next commands.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Asks what you have, and prints the three commands to type next.",
        discussion: """
            It asks on a terminal only, and changes nothing. Without a terminal, --answer answers the questions in \
            their order: app and a name of `freshet contract list`, own-backend, or nothing.

            Example:
              freshet init
              freshet init --answer app --answer supabase
            """
    )

    @Option(
        help: "The answer to the next question: app, own-backend, nothing, or a contract; may be repeated.",
        completion: .list(["app", "own-backend", "nothing"])
    )
    var answer: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let steps = FirstSteps(contracts: try ContractSignIn.all())
        let canAsk = Terminal.isInteractive && !json
        var answers = answer
        while true {
            switch steps.step(after: answers) {
            case .done(let commands): return try show(commands)
            case .refused(let sentence):
                guard canAsk, answers.count > answer.count else { throw ToolError.usage(sentence) }
                Output.line(sentence)
                answers.removeLast()
            case .ask(let question):
                guard canAsk else {
                    throw ToolError.usage(
                        "init asks on a terminal; here, give --answer nothing, --answer own-backend, or "
                            + "--answer app --answer NAME"
                    )
                }
                answers.append(try prompt(question))
            }
        }
    }

    private func prompt(_ question: FirstSteps.Question) throws -> String {
        Output.line(question.text)
        for (index, choice) in question.choices.enumerated() { Output.line("  \(index + 1)  \(choice.text)") }
        Output.write("> ")
        while let line = readLine() {
            let answer = line.filter { !$0.isWhitespace }
            if !answer.isEmpty { return answer }
            Output.write("> ")
        }
        throw ToolError.usage("there was no answer")
    }

    private func show(_ commands: [FirstSteps.Command]) throws {
        if json { return try Output.json(View(commands: commands)) }
        Output.line("Next:")
        for command in commands {
            Output.line("")
            Output.line("  \(command.command)")
            Output.line("      \(command.purpose)")
        }
    }

    private struct View: Encodable {
        var commands: [FirstSteps.Command]
    }
}
