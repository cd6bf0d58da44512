// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOConcurrencyHelpers
import NIOCore
import PostgresCluster
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetHTTP
@testable import FreshetIdentity
@testable import FreshetServer

/// A real server on a data folder of its own, with a clock that the test moves and a log that it reads.
final class ServerUnderTest: Sendable {
    let folder: URL
    let log = CapturedLog()
    private let clock = ManualClock()
    private let watcher = NIOLockedValueBox<AsyncStream<Void>.Continuation?>(nil)
    private let interruption = NIOLockedValueBox<(@Sendable () -> Void)?>(nil)

    /// Where its database is, if that is not in its folder.
    let database: PostgresConfiguration?

    init(database: PostgresConfiguration? = nil, folder: URL? = nil) {
        let asked = database == nil ? try? PostgresCluster.databaseIfAsked().map { try PostgresConfiguration($0) } : nil
        self.database = database ?? asked
        self.folder = folder ?? FileManager.default.temporaryDirectory.appending(path: "freshet-test-\(UUID())")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Lets time pass, by both clocks.
    func advance(by span: Duration) { clock.advance(by: span) }

    /// Sets the wall clock; the monotonic one stays.
    func jump(by span: Duration) { clock.jump(by: span) }

    /// The clocks of a server.
    var clocks: ClockSource {
        ClockSource(wall: { [self] in readClock() }, monotonic: clock.source.monotonic)
    }

    /// An element for each look at the clock from now on: some of them mark how far a request has come.
    func clockReadings() -> AsyncStream<Void> {
        let (readings, watcher) = AsyncStream.makeStream(of: Void.self)
        self.watcher.withLockedValue { $0 = watcher }
        return readings
    }

    /// Runs `body` at each look of a request at the clock, before it goes on: what happens meanwhile, happens there.
    func interruptRequests(_ body: (@Sendable () -> Void)?) { interruption.withLockedValue { $0 = body } }

    func readClock() -> Timestamp {
        // Only what requests read: what runs beside them looks at the clock, too.
        if RequestTrace.current != nil {
            watcher.withLockedValue { _ = $0?.yield() }
            interruption.withLockedValue { $0 }?()
        }
        return clock.now()
    }

    /// Settings with a cheap password hash.
    var configuration: ServerConfiguration {
        var configuration = ServerConfiguration(dataDirectory: folder)
        configuration.port = 0
        configuration.database = database
        configuration.passwords.logN = 10
        configuration.operations.admission.jitter = 0
        // Some tests count the looks at the clock.
        configuration.keys.interval = .seconds(3600)
        // A child process that is being started may hold a copy of a closed lock for a moment.
        configuration.lockTimeout = .seconds(5)
        return configuration
    }

    /// Settings with a confidential OAuth client, `web`.
    func configurationWithClient() throws -> ServerConfiguration {
        var configuration = configuration
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let clients = folder.appending(path: "clients.json")
        let secret = ClientSecretHash(of: "secret").text
        try Data(#"{"clients":[{"id":"web","kind":"confidential","secret":"\#(secret)"}]}"#.utf8).write(to: clients)
        configuration.oauthClients = clients
        return configuration
    }

    /// Another connection to its database, as of an operator's program.
    ///
    /// It waits while the server writes, as SQLite's own default is to fail at once.
    func openDatabase(_ name: String = "freshet.sqlite") throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(60)
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: folder.appending(path: name).path, configuration: configuration)
    }

    /// Starts a server, talks to it over a real socket, and stops it.
    ///
    /// May be called again: that is a restart.
    func run(
        _ configuration: ServerConfiguration? = nil,
        clocks: ClockSource? = nil,
        environment: ServerEnvironment = ServerEnvironment(),
        listener: SocketListener? = nil,
        onMetricsListening: @escaping @Sendable (Int) async -> Void = { _ in },
        onOperatorListening: @escaping @Sendable (Int) async -> Void = { _ in },
        _ body: @Sendable (TestHTTPClient) async throws -> Void
    ) async throws {
        let server = try TokenServer(
            configuration ?? self.configuration,
            log: log.logger,
            clock: clocks ?? self.clocks,
            environment: environment,
            listener: listener,
            onMetricsListening: onMetricsListening,
            onOperatorListening: onOperatorListening
        )
        do {
            try await server.application.test(.ahc(.http)) { client in
                try await body(TestHTTPClient(client: client, log: log, sockets: server.sockets, parts: server.parts))
            }
        } catch {
            try await server.shutDown()
            throw error
        }
        try await server.shutDown()
    }
}

/// Sends requests as a client would, and reads the answers.
struct TestHTTPClient: Sendable {
    let client: any TestClientProtocol
    let log: CapturedLog
    let sockets: SocketHub
    let parts: ServerParts
    var database: any ServerDatabase { parts.database }
    var hasher: PasswordHasher { parts.signIn.hasher }

    struct Answer: Sendable {
        var status: Int
        var headers: HTTPFields
        var body: Data

        func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(type, from: body)
        }

        /// Parses a response as it was received, or as curl prints it.
        init(response: String) throws {
            let parts = response.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            var lines = try #require(parts.first).split(separator: "\r\n")[...]
            status = try #require(lines.popFirst()?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
            headers = HTTPFields()
            for line in lines {
                let field = line.split(separator: ":", maxSplits: 1)
                let name = try #require(HTTPField.Name(String(field[0])))
                headers.append(HTTPField(name: name, value: field[1].trimmingCharacters(in: .whitespaces)))
            }
            body = Data(parts[1].utf8)
        }

        init(status: Int, headers: HTTPFields, body: Data) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// The error and reason, as one word or two.
        var error: String {
            guard let body = try? json(ErrorBody.self) else { return "\(status)" }
            return "\(status) \(body.error)" + (body.reason.map { " \($0)" } ?? "")
        }
    }

    var port: Int? { client.port }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        bearer: String? = nil,
        headers: HTTPFields = [.contentType: "application/json"]
    ) async throws -> Answer {
        var headers = headers
        if let bearer { headers[.authorization] = "Bearer \(bearer)" }
        let answer = try await client.executeRequest(
            uri: path,
            method: method,
            headers: headers,
            body: body.map { ByteBuffer(string: $0) }
        )
        return Answer(
            status: answer.status.code,
            headers: answer.headers,
            body: Data(answer.body.readableBytesView)
        )
    }

    func post(_ path: String, _ body: some Encodable, bearer: String? = nil) async throws -> Answer {
        try await send(.post, path, String(decoding: try JSONEncoder().encode(body), as: UTF8.self), bearer: bearer)
    }

    func signUp(_ email: String = "ann@example.com", device: Device? = nil) async throws -> SessionTokens {
        let answer = try await post(
            NativePath.signup,
            PasswordCredentials(email: email, password: "correct horse", device: device)
        )
        try #require(answer.status == 201, "\(answer.error)")
        return try answer.json()
    }

    func signIn(_ email: String = "ann@example.com") async throws -> SessionTokens {
        try await post(
            NativePath.loginPassword,
            PasswordCredentials(email: email, password: "correct horse")
        ).json()
    }

    func refresh(_ token: String, _ intent: Intent?) async throws -> Answer {
        try await post(NativePath.refresh, RefreshRequest(refreshToken: token, intent: intent?.text))
    }

    func present(_ path: String, _ token: String) async throws -> Answer {
        try await post(path, PresentedToken(refreshToken: token))
    }

    /// Asks for a code, and reads it where the development server writes it.
    func code(for email: String) async throws -> (attempt: String, code: String) {
        let answer = try await post(NativePath.loginCode, CodeRequest(email: email))
        try #require(answer.status == 202, "\(answer.error)")
        let attempt: CodeAttempt = try answer.json()
        let line = try #require(log.lines.last { $0["attempt"] == attempt.attempt && $0["code"] != nil })
        return (attempt.attempt, try #require(line["code"]))
    }
}
