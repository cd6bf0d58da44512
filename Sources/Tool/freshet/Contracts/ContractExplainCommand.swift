// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetCommandLine
import FreshetContract
import FreshetContractLint
import FreshetKit

/// `freshet contract explain`: explains the behaviour of a contract's client.
struct ContractExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains in plain English what the client does for each response.",
        discussion: """
            Example:
              freshet contract explain simplejwt
            """
    )

    @Argument(help: "The contract: a preset's name, or a file.", completion: .file())
    var contract: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let explanation = ContractExplanation(try ContractChoice(contract).contract().document)
        if json { try Output.json(View(explanation)) } else { explanation.lines.forEach(Output.line) }
    }

    /// The explanation for scripts: sentences, and responses with their meaning and the client's reaction.
    struct View: Encodable {
        struct Section: Encodable {
            var title: String
            var lines: [Line]
        }

        struct Line: Encodable {
            var sentence: String?
            var comes: String?
            var means: String?
            var does: String?
            var note: String?

            init(_ line: ContractExplanation.Line) {
                switch line {
                case .sentence(let text): sentence = text
                case .answer(let comes, let means, let does, let note):
                    self.comes = comes
                    self.means = means
                    self.does = does
                    self.note = note
                }
            }
        }

        var title: String
        var sections: [Section]

        init(_ explanation: ContractExplanation) {
            title = explanation.title
            sections = explanation.sections.map { Section(title: $0.title, lines: $0.lines.map(Line.init)) }
        }
    }
}
