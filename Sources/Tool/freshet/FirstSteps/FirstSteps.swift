// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The questions of `freshet init`, and the commands that fit the answers.
///
/// A value without input or output: answers in, a question or commands out.
struct FirstSteps {
    /// The things that a team has when it begins.
    enum Situation: String, CaseIterable {
        /// A backend whose contract comes with the tool.
        case app
        /// A backend that needs a contract of its own.
        case ownBackend = "own-backend"
        case nothing

        var text: String {
            switch self {
            case .app: "a backend of the list (freshet contract list)"
            case .ownBackend: "a backend of our own"
            case .nothing: "nothing yet"
            }
        }
    }

    /// A question, with the answers that it has.
    struct Question: Equatable {
        var text: String
        /// The answers by name, in the order of their numbers; empty if they are not listed.
        var choices: [Choice]

        struct Choice: Equatable {
            var name: String
            var text: String
        }
    }

    /// A command to type next, and its purpose.
    struct Command: Encodable, Equatable {
        var command: String
        var purpose: String
    }

    enum Step: Equatable {
        case ask(Question)
        /// The answer to a question is not one of its answers; the sentence says what it can be.
        case refused(String)
        case done([Command])
    }

    /// The contracts of the tool.
    let contracts: [ContractSignIn]

    /// Returns what follows from the answers so far, each a name or the number of a choice.
    func step(after answers: [String]) -> Step {
        guard let first = answers.first else { return .ask(situationQuestion) }
        guard let situation = situation(first) else {
            return .refused("'\(first)' is no answer: \(Situation.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        switch situation {
        case .nothing: return extra(answers.dropFirst(1)) ?? .done(Self.commandsForNothing)
        case .ownBackend: return extra(answers.dropFirst(1)) ?? .done(Self.commandsForOwnBackend)
        case .app:
            guard answers.count > 1 else {
                return .ask(Question(text: "Which one? (a name of freshet contract list)", choices: []))
            }
            guard let contract = contracts.first(where: { $0.name == answers[1] }) else {
                let near = answers[1].nearest(of: contracts.map(\.name)).map { "; did you mean \($0)?" } ?? ""
                return .refused("'\(answers[1])' is not in the list (see: freshet contract list)\(near)")
            }
            return extra(answers.dropFirst(2)) ?? .done(Self.commands(for: contract))
        }
    }

    private var situationQuestion: Question {
        Question(
            text: "What do you have?",
            choices: Situation.allCases.map { Question.Choice(name: $0.rawValue, text: $0.text) }
        )
    }

    private func situation(_ answer: String) -> Situation? {
        if let situation = Situation(rawValue: answer) { return situation }
        guard let number = Int(answer), Situation.allCases.indices.contains(number - 1) else { return nil }
        return Situation.allCases[number - 1]
    }

    private func extra(_ answers: ArraySlice<String>) -> Step? {
        answers.first.map { .refused("'\($0)' is one answer too many") }
    }

    // MARK: - Commands

    private static let commandsForNothing = [
        Command(
            command: "freshet serve --dev --port 8080 --data ./freshet-data",
            purpose: "runs a token server here, and prints what happens, sign-in codes too"
        ),
        Command(
            command: "freshet login --server http://127.0.0.1:8080 --email ann@example.com",
            purpose: "signs in, in a second terminal, with the code that the server prints"
        ),
        Command(command: "freshet watch", purpose: "shows the session live; press d, x or e at the server meanwhile"),
    ]

    private static let commandsForOwnBackend = [
        Command(
            command: "freshet contract show oauth2 >my-backend.json",
            purpose: "begins a contract, the description of your backend, to be edited"
        ),
        Command(command: "freshet contract lint my-backend.json", purpose: "says what is wrong or risky in it"),
        Command(
            command: "freshet contract test my-backend.json --base-url https://api.example.com --email ann@example.com",
            purpose: "compares it with your running backend, with a test account"
        ),
    ]

    private static func commands(for contract: ContractSignIn) -> [Command] {
        let options = contract.options
        return [
            Command(command: "freshet contract explain \(contract.name)", purpose: "says what a session will do"),
            Command(
                command: "freshet contract test \(contract.name) --base-url https://api.example.com \(options)",
                purpose: "compares your running backend with its contract, with a test account"
            ),
            Command(
                command: "freshet login --contract \(contract.name) --server https://api.example.com \(options)",
                purpose: contract.takesEmail
                    ? "signs in; freshet watch then shows the session live"
                    : "imports a session; tokens.json is your app's: {\"access_token\", \"refresh_token\", \"expires_in\"}"
            ),
        ]
    }
}
