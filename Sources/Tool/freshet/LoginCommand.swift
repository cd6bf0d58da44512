// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetContract
import FreshetKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `freshet login`: starts a session.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Signs in with a mailed code, a password, or another sign-in of the backend's contract.",
        discussion: """
            Requests a code by mail and prompts for it. Without a terminal it exits once the code is requested, and a \
            second call with --code completes the sign-in. With --password-stdin, or for a backend that mails no \
            codes, it signs in with a password. The first code that is used for an address removes a password that \
            was set before, because another person may have set it.

            --contract describes a backend other than Freshet's server. The profile stores it, so that the other \
            commands need no --contract.

            On Linux, --store auto is the desktop's Secret Service if it is available and unlocked, else the kernel's \
            keyring, which is lost when the system restarts. A session is stored in a file only with --store \
            plain-file.

            With --cacert, the profile's commands trust the certificate authorities in that PEM file instead of the \
            system's; the profile stores its path. Without it they trust those in the file that SSL_CERT_FILE names.

            Example:
              freshet login --server https://auth.example.com --email ann@example.com
              printf %s "$PASSWORD" | freshet login --server http://127.0.0.1:8080 --email ann@example.com --password-stdin
              freshet login --contract auth0 --set client_id=abc --server https://example.auth0.com --tokens <tokens.json
            """
    )

    @OptionGroup var options: ProfileOptions

    @Option(help: "The server's URL; required at the first sign-in of a profile.", transform: serverURL)
    var server: URL?

    @Option(
        help: """
            Where the session is stored: a secret store by name, the first available one (auto), or a file that only \
            you can read (plain-file). The profile keeps it; a new profile has auto. Environment: FRESHET_STORE.
            """
    )
    var store: StoreChoice?

    @OptionGroup var signIn: SignInOptions

    func validate() throws {
        if signIn.email == nil, signIn.code == nil, signIn.signIn == nil, !signIn.tokens {
            throw ValidationError("--email is missing")
        }
    }

    func run() async throws {
        let profile = options.value
        let known = try? profile.settings()
        guard let server = server ?? known?.server else { throw ToolError.usage("--server is missing") }
        var settings = try known ?? profile.applying(Profile.Settings(server: server))
        settings.server = server
        settings.attempt = nil
        let preference = try store ?? StoreChoice.inEnvironment()
        let kind = try StoreChoice.resolve(preference, current: known?.storeKind)
        if let known, known.storeKind != kind { try await profile.move(known, to: kind) }
        settings.store = kind
        let session = try profile.session(with: settings)
        if try await begin(session, profile, settings, known?.attempt) == .code {
            settings.provedAddress = session.status.email ?? signIn.email
        }
        try profile.save(settings)
        // The replaced session is signed out now, because no later command would do so.
        await session.deliverPendingLogouts()
        let status = session.status
        if options.json { return try Output.json(try StatusView(status, profile: profile.name, settings)) }
        let user = (status.email ?? status.userID ?? signIn.email).map { " as \($0)" } ?? ""
        Output.note("Signed in\(user)\(status.sessionID.map { ", session \($0)" } ?? "").")
    }

    private enum Method {
        case code, other
    }

    private func begin(
        _ session: AuthSession,
        _ profile: Profile,
        _ settings: Profile.Settings,
        _ pending: EmailCodeAttempt?
    ) async throws -> Method {
        let document = try settings.description().document
        if signIn.tokens {
            let tokens = try signIn.tokensFromInput()
            if try settings.description().name == Contract.freshet.name, tokens.refreshToken == nil {
                throw ToolError.usage("standard input has no refresh_token, which sessions of Freshet's server need")
            }
            try await ServerCall.perform { _ = try await session.signIn(.tokens(tokens)) }
            return .other
        }
        if let endpoint = try signIn.endpoint(in: document) {
            let values = signIn.values
            try await ServerCall.perform { _ = try await session.signIn(.fields(endpoint: endpoint.text, values)) }
            return .other
        }
        if let code = signIn.code {
            let attempt = try pending ?? attemptOfItsOwn(document)
            try await ServerCall.perform { _ = try await session.signIn(.emailCode(attempt, code: code.text)) }
            return .code
        }
        let email = signIn.email ?? ""
        if signIn.passwordStdin || document.endpoints[.code] == nil {
            guard document.endpoints[signIn.signUp ? .signup : .password] != nil else {
                throw ToolError.usage("\(document.name): \(SignInOptions.ways(of: document))")
            }
            let password = try signIn.password()
            _ = try await ServerCall.perform {
                if signIn.signUp {
                    try await session.signUp(email: email, password: password.text)
                } else {
                    try await session.signIn(.password(email: email, password: password.text))
                }
            }
            return .other
        }
        let attempt = try await ServerCall.perform { try await session.requestEmailCode(email: email) }
        if try settings.description().name == Contract.freshet.name, settings.provedAddress != email {
            // The server does not say whether an address has a password or an account.
            Output.note(
                """
                freshet: if no code was used for \(email) before, this code removes the password of its account, if it \
                has one, and ends its other sessions; to keep the password, sign in with --password-stdin instead
                """
            )
        }
        guard isatty(STDIN_FILENO) == 1 else {
            var waiting = settings
            waiting.attempt = attempt
            try profile.save(waiting)
            let name = profile.name == "default" ? "" : " --profile \(profile.name)"
            throw ToolError.signInNeeded("a code was sent; complete the sign-in with: freshet login --code CODE\(name)")
        }
        try await signIn(session, attempt, promptingAt: email)
        return .code
    }

    /// Prompts for the code until the server accepts it.
    private func signIn(_ session: AuthSession, _ attempt: EmailCodeAttempt, promptingAt email: String) async throws {
        // A server accepts few codes for one attempt, and says nothing about how many are left.
        for left in (0..<SignInOptions.codePrompts).reversed() {
            let code = try SignInOptions.askForCode(sentTo: email)
            let refusal = try await ServerCall.perform { () async throws -> SessionError? in
                do { try await session.signIn(.emailCode(attempt, code: code.text)) } catch let error as SessionError {
                    guard case .refused = error else { throw error }
                    return error
                }
                return nil
            }
            guard let refusal else { return }
            guard left > 0 else {
                throw ToolError.signInNeeded("\(refusal) No further code is accepted: run freshet login again")
            }
            Output.note("freshet: \(refusal)")
        }
    }

    /// Returns an attempt for a code that another client requested, if the backend needs only the user's address to
    /// verify it.
    private func attemptOfItsOwn(_ document: ContractDocument) throws -> EmailCodeAttempt {
        guard let email = signIn.email, document.endpoints[.codeVerify]?.names.contains("attempt") == false else {
            throw ToolError.usage("no code was requested; run freshet login without --code first")
        }
        return EmailCodeAttempt(email: email)
    }

    static func serverURL(_ text: String) throws -> URL {
        guard let url = URL(string: text), let scheme = url.scheme, ["http", "https"].contains(scheme), url.host != nil
        else { throw ValidationError("\(text) is not an http or https URL") }
        return url
    }
}
