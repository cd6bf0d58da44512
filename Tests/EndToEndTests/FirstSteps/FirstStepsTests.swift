// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// The questions of `freshet init`, and the commands that fit the answers.
@Suite(.timeLimit(.minutes(5))) struct `First steps` {
    private let steps = FirstSteps(contracts: [
        ContractSignIn(name: "auth0", variables: ["client_id"], secrets: ["key"], takesEmail: false),
        ContractSignIn(name: "melchat", variables: [], secrets: [], takesEmail: true),
    ])

    private func commands(_ answers: [String]) throws -> [String] {
        guard case .done(let commands) = steps.step(after: answers) else {
            Issue.record("\(steps.step(after: answers))")
            return []
        }
        return commands.map(\.command)
    }

    @Test func `the first question of init offers three starting points, and the second asks for a contract`() throws {
        guard case .ask(let first) = steps.step(after: []), case .ask(let second) = steps.step(after: ["1"]) else {
            Issue.record("no questions")
            return
        }
        #expect(first.choices.map(\.name) == ["app", "own-backend", "nothing"])
        #expect(second.choices.isEmpty && second.text.contains("freshet contract list"))
    }

    @Test func `each answer to init leads to three commands, by its name or its number`() throws {
        for answers in [["nothing"], ["3"], ["own-backend"], ["2"], ["app", "melchat"], ["1", "melchat"]] {
            #expect(try commands(answers).count == 3)
        }
        #expect(try commands(["3"]) == commands(["nothing"]))
        #expect(try commands(["nothing"])[0].hasPrefix("freshet serve --dev "))
        #expect(try commands(["own-backend"])[0].hasPrefix("freshet contract show "))
    }

    @Test func `the login command of a contract has its variables, its secrets and its sign-in method`() throws {
        let login = "freshet login --contract auth0 --server https://api.example.com"
        #expect(
            try commands(["app", "auth0"])[2]
                == "\(login) --set client_id=VALUE --set key=@FILE --tokens <tokens.json"
        )
        #expect(try commands(["app", "melchat"])[2].hasSuffix(" --email ann@example.com"))
    }

    @Test(arguments: [
        (["maybe"], "'maybe' is no answer: app, own-backend, nothing"), (["4"], "'4' is no answer"),
        (["0"], "'0' is no answer"), (["nothing", "more"], "'more' is one answer too many"),
        (["app", "melchatt"], "did you mean melchat?"), (["app", "auth0", "x"], "'x' is one answer too many"),
    ])
    func `an invalid answer to init is refused with an explanation`(answers: [String], sentence: String) {
        guard case .refused(let text) = steps.step(after: answers) else {
            Issue.record("\(answers) is accepted")
            return
        }
        #expect(text.contains(sentence))
    }

    @Test func `init proposes commands for every contract of the tool`() throws {
        let contracts = try ContractSignIn.all()
        #expect(contracts.count >= 40)
        let steps = FirstSteps(contracts: contracts)
        for contract in contracts {
            guard case .done = steps.step(after: ["app", contract.name]) else {
                Issue.record("\(contract.name)")
                continue
            }
        }
    }

    @Test(arguments: [(true, false, false), (false, false, false), (true, true, false), (true, false, true)])
    func `a note about the first start appears only on a terminal, without data and outside production`(
        isTerminal: Bool,
        hasData: Bool,
        isProduction: Bool
    ) {
        let note = FirstStart.note(isTerminal: isTerminal, hasData: hasData, isProduction: isProduction)
        #expect((note != nil) == (isTerminal && !hasData && !isProduction))
    }

    @Test func `init asks on a terminal, and exits with 64 in a pipe unless it is given answers`() async throws {
        func run(_ answers: String...) async throws -> ChildProcess.Ending {
            try await ChildProcess(["init"] + answers, program: TestEnvironment.program).wait()
        }
        let refused = try await run()
        #expect(refused.status == 64 && refused.output.isEmpty)
        #expect(try await run("--answer", "app").status == 64)
        #expect(try await run("--answer", "maybe").status == 64)
        let ending = try await run("--answer", "app", "--answer", "supabase")
        #expect(ending.status == 0 && ending.output.contains("freshet login --contract supabase"))
        #expect(
            try await run("--answer", "nothing", "--json").output.hasPrefix(#"{"commands":[{"command":"freshet serve"#)
        )

        let terminal = try PseudoTerminal()
        let (_, status) = try terminal.run(["init"])
        var lines = terminal.lines.makeAsyncIterator()
        while let line = await lines.next(), line != "  3  nothing yet" {}
        terminal.type("7\n")
        while let line = await lines.next(), !line.contains("'7' is no answer") {}
        terminal.type("3\n")
        while let line = await lines.next(), !line.contains("freshet watch") {}
        #expect(await status.value == 0)
    }
}
