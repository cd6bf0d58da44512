// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetContract
import FreshetKit
import FreshetNIO

/// `freshet contract test`: compares a live backend with its contract.
struct ContractTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Tests a live backend against its contract.",
        discussion: """
            Signs in, sends requests, refreshes, presents used, altered and made-up tokens, signs out and uses the \
            tokens again; prints the backend's behaviour beside the contract's, and the backend's weaknesses. It \
            prints its steps before it starts. Use a test account: some backends end all sessions of an account whose \
            used token is presented. Exits with 0 if backend and contract agree, with 7 if not, and with 4 if \
            the backend refuses the sign-in.

            Example:
              freshet contract test simplejwt --base-url http://127.0.0.1:8000 --username ann --call GET /api/me
              printf %s "$PASSWORD" | freshet contract test my-backend.json --base-url https://api.example.com \
            --email ann@example.com --password-stdin --set client_id=app --longest-wait 60s
            """
    )

    @Argument(help: "The contract: a preset's name, or a file.", completion: .file())
    var contract: String

    @Option(name: .customLong("base-url"), help: "The backend's base URL.", transform: LoginCommand.serverURL)
    var baseURL: URL

    @OptionGroup var signIn: SignInOptions

    @Option(
        help: "A value for a variable or secret of the contract: NAME=VALUE, or NAME=@FILE; may be repeated.",
        transform: NamedValue.read
    )
    var set: [NamedValue] = []

    @Option(
        parsing: .upToNextOption,
        help: "A request that needs an access token, such as GET /api/me (default: the contract's `me`)."
    )
    var call: [String] = []

    @Option(
        help: "The longest wait for a token's expiry or the end of a grace period, such as 0s or 2m (default: 20s).",
        transform: Duration.length
    )
    var longestWait = Duration.seconds(20)

    @Flag(name: .customLong("wait-for-expiry"), help: "Wait until the access token expires, however long that takes.")
    var waitForExpiry = false

    @Option(help: "The timeout of a request (default: 10s).", transform: Duration.timeout)
    var timeout = Duration.seconds(10)

    @OptionGroup var trust: TrustOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        trust.apply()
        let choice = try ContractChoice(contract).contract()
        let values = ContractValues(set.byName)
        try values.checkUsage(of: choice)
        let probe: ContractProbe
        do throws(SessionError) {
            probe = try ContractProbe(
                contract: choice,
                baseURL: baseURL,
                values: values,
                transport: NIOTransport(),
                timeout: timeout
            )
        } catch {
            // No request has been sent yet, so the command line is the cause.
            guard case .misconfigured(let fault) = error else { throw ToolError(error) }
            throw ToolError.usage(fault)
        }
        let plan = try plan(choice.document)
        if !json { plan.lines.forEach(Output.note) }
        var run = ConformanceRun(probe: probe, plan: plan) { text in Output.note("freshet: \(text)") }
        let report = try await run.run()
        if json { try Output.json(report) } else { ConformanceTable(report: report).lines.forEach(Output.line) }
        if !report.agrees { throw ExitCode(7) }
    }

    private func plan(_ document: ContractDocument) throws -> ConformancePlan {
        var plan = ConformancePlan(contract: document, baseURL: baseURL, signIn: try credentials(document))
        plan.call = try Self.call(call, relativeTo: baseURL)
        plan.longestWait = longestWait
        plan.waitsForExpiry = waitForExpiry
        return plan
    }

    private func credentials(_ document: ContractDocument) throws -> ConformancePlan.SignIn {
        if signIn.tokens { return .tokens(try signIn.tokensFromInput()) }
        if let endpoint = try signIn.endpoint(in: document) { return .fields(endpoint, signIn.values) }
        guard let email = signIn.email else {
            throw ToolError.usage("give --email, --sign-in or --tokens: \(SignInOptions.ways(of: document))")
        }
        if let code = signIn.code { return .code(email: email, ask: { code }) }
        let hasPassword = document.endpoints[.password] != nil
        if document.endpoints[.code] != nil, !signIn.passwordStdin, !hasPassword {
            return .code(email: email) { try SignInOptions.askForCode(sentTo: email) }
        }
        guard hasPassword else { throw ToolError.usage("\(document.name): \(SignInOptions.ways(of: document))") }
        let values = ["email": email, "username": email, "password": try signIn.password().text]
        return signIn.signUp ? .signUp(values) : .fields(.password, values)
    }

    /// Parses `GET /path`, `/path` or a URL.
    static func call(_ arguments: [String], relativeTo baseURL: URL) throws -> ConformancePlan.Call? {
        let arguments = arguments.flatMap { $0.split(separator: " ").map(String.init) }
        guard let place = arguments.last else { return nil }
        let method = arguments.count > 1 ? arguments[0].uppercased() : "GET"
        let isMethod = !method.isEmpty && method.utf8.allSatisfy { (0x41...0x5A).contains($0) }
        guard arguments.count <= 2, isMethod else {
            throw ToolError.usage("--call must be a method and a path, such as GET /api/me")
        }
        // A path is appended to the base URL, like the paths of the contract.
        let base = baseURL.absoluteString
        let text = place.hasPrefix("/") ? (base.hasSuffix("/") ? String(base.dropLast()) : base) + place : place
        guard let address = URL(string: text), address.host != nil else {
            throw ToolError.usage("\(place) is neither a path nor a URL")
        }
        return ConformancePlan.Call(method: method, address: address)
    }
}
