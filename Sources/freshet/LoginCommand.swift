// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `freshet login`: begins a session.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Signs in, with a code sent by mail or with a password.",
        discussion: """
            Without --password-stdin a code is mailed and asked for; where there is no terminal to ask on, a second \
            call with --code finishes.

            Example:
              freshet login --server https://auth.example.com --email ann@example.com
              printf %s "$PASSWORD" | freshet login --server http://127.0.0.1:8080 --email ann@example.com --password-stdin
            """
    )

    @OptionGroup var options: ProfileOptions

    @Option(help: "The server's address; needed at the first sign-in of a profile.", transform: serverURL)
    var server: URL?

    @Option(help: "The account's e-mail address.")
    var email: String?

    @Option(help: "The code that was mailed after an earlier call.")
    var code: Secret?

    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
    var passwordStdin = false

    @Flag(name: .customLong("sign-up"), help: "Make the account; with --password-stdin.")
    var signUp = false

    func validate() throws {
        if code != nil && passwordStdin { throw ValidationError("--code and --password-stdin exclude each other") }
        if signUp && !passwordStdin { throw ValidationError("--sign-up needs --password-stdin") }
        if code == nil && email == nil { throw ValidationError("--email is missing") }
    }

    func run() async throws {
        let profile = options.value
        let known = try? profile.settings()
        guard let server = server ?? known?.server else { throw ToolError.usage("--server is missing") }
        let session = try profile.session(at: server)
        try await signIn(session, profile, server, known?.attempt)
        try profile.save(Profile.Settings(server: server))
        let status = session.status
        if options.json { return try Output.json(StatusView(status, profile: profile.name, server: server)) }
        Output.note("Signed in as \(status.email ?? status.userID ?? "?"), session \(status.sessionID ?? "?").")
    }

    private func signIn(
        _ session: Session,
        _ profile: Profile,
        _ server: URL,
        _ pending: EmailCodeAttempt?
    ) async throws {
        if let code {
            guard let pending else { throw ToolError.usage("no code was asked for; call login without --code first") }
            return try await Asking.server { try await session.signIn(.emailCode(pending, code: code.text)) }
        }
        let email = email ?? ""
        if passwordStdin {
            guard let password = readLine(strippingNewline: true).map({ Secret($0) }) else {
                throw ToolError.usage("no password came")
            }
            if signUp {
                return try await Asking.server { try await session.signUp(email: email, password: password.text) }
            }
            return try await Asking.server {
                try await session.signIn(.password(email: email, password: password.text))
            }
        }
        let attempt = try await Asking.server { try await session.requestEmailCode(email: email) }
        guard isatty(STDIN_FILENO) == 1 else {
            try profile.save(Profile.Settings(server: server, attempt: attempt))
            throw ToolError.signInNeeded("a code is on its way; finish with: freshet login --code CODE")
        }
        Output.write("Code sent to \(email): ", to: .standardError)
        let code = Secret((readLine() ?? "").trimmingCharacters(in: .whitespaces))
        try await Asking.server { try await session.signIn(.emailCode(attempt, code: code.text)) }
    }

    private static func serverURL(_ text: String) throws -> URL {
        guard let url = URL(string: text), let scheme = url.scheme, ["http", "https"].contains(scheme), url.host != nil
        else { throw ValidationError("\(text) is no http or https address") }
        return url
    }
}
