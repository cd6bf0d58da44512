// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A backend that no one here wrote, as a process of its own on this machine; `Tests/Backends` has the programs.
final class RealBackend: Sendable {
    /// The facts that a program prints about itself when it is ready.
    struct Facts: Decodable, Sendable {
        var baseURL: URL
        var contract: String
        var variables: [String: String]
        var user: String
        var password: String
        var resource: String

        /// The app's id, for the backends that know apps.
        var clientID: String { variables["client_id"] ?? "" }

        private enum CodingKeys: String, CodingKey {
            case baseURL = "base_url"
            case contract, variables, user, password, resource
        }
    }

    let kind: BackendKind
    let facts: Facts
    private let process: BackendProcess

    private init(_ kind: BackendKind, _ facts: Facts, _ process: BackendProcess) {
        self.kind = kind
        self.facts = facts
        self.process = process
    }

    /// Whether the tests of this target run: they need Python, and packages from its index.
    static var areWanted: Bool { ProcessInfo.processInfo.environment["FRESHET_BACKENDS"] != nil }

    /// A backend that several tests use, each with tokens of its own; it ends with this process.
    static func shared(_ kind: BackendKind, _ arguments: [String] = []) async throws -> RealBackend {
        try await SharedBackends.all.backend(kind, arguments)
    }

    /// A backend of this test alone: starts it, lets `body` talk to it, and ends it.
    static func run(
        _ kind: BackendKind,
        _ arguments: [String] = [],
        _ body: (RealBackend) async throws -> Void
    ) async throws {
        let backend = try await start(kind, arguments)
        do {
            try await body(backend)
        } catch {
            await backend.end()
            throw error
        }
        await backend.end()
    }

    /// Starts a backend; it ends with this process at the latest.
    static func start(_ kind: BackendKind, _ arguments: [String]) async throws -> RealBackend {
        let process = try BackendProcess([kind.program] + kind.arguments + arguments)
        let line = try #require(await process.firstLine, "\(kind) does not start")
        return RealBackend(kind, try JSONDecoder().decode(Facts.self, from: Data(line.utf8)), process)
    }

    /// Ends it in the middle of whatever it does.
    func kill() async { await process.kill() }

    /// Lets it end as it should.
    func end() async { await process.end() }

    /// The resource that wants an access token.
    var resource: URLRequest { URLRequest(url: facts.baseURL.appending(path: facts.resource)) }

    /// The contract that comes with the SDK.
    var contract: Contract {
        get throws { try .named(facts.contract) }
    }

    /// A session that nobody is signed in to yet.
    func session(
        store: any SessionStore = InMemoryStore(),
        transport: any HTTPTransport = URLSessionTransport(),
        values: ContractValues? = nil
    ) throws -> AuthSession {
        var configuration = AuthSession.Configuration()
        configuration.contractValues = values ?? ContractValues(facts.variables)
        configuration.refreshPolicy.callerTimeout = .seconds(2)
        configuration.refreshPolicy.backoff.first = .milliseconds(20)
        return try AuthSession(
            contract: contract,
            baseURL: facts.baseURL,
            store: store,
            configuration: configuration,
            transport: transport
        )
    }

    /// A session that signed in with the user's password.
    func signedIn(
        store: any SessionStore = InMemoryStore(),
        transport: any HTTPTransport = URLSessionTransport()
    ) async throws
        -> AuthSession
    {
        let session = try session(store: store, transport: transport)
        try await session.signIn(.password(email: facts.user, password: facts.password))
        return session
    }

    /// A session with these very tokens; its access token counts as good for as long as it says itself.
    func holding(_ tokens: Tokens, transport: any HTTPTransport = URLSessionTransport()) async throws
        -> AuthSession
    {
        let session = try session(transport: transport)
        try await session.signIn(
            .tokens(TokenGrant(accessToken: tokens.access, refreshToken: tokens.refresh))
        )
        return session
    }
}
