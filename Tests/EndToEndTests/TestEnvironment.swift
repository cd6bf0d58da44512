// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetKit
import FreshetSystem
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import PostgresCluster
import ServiceLifecycle
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetServer
@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A real server in this process, a network before it that loses what the test wants lost, and a folder for stores.
final class TestEnvironment: Sendable {
    let folder: URL
    let network: FaultyNetwork
    let serverLog: ServerLog
    let port: Int
    /// The address of its database, if that is not in the folder.
    let database: String?
    private let offset: SharedOffset
    private let group: ServiceGroup
    private let serving: Task<Void, any Error>
    private let server: TokenServer

    /// Moves the server's clock.
    private final class SharedOffset: Sendable {
        let value = NIOLockedValueBox(Duration.zero)
    }

    private init(
        _ folder: URL,
        _ network: FaultyNetwork,
        _ serverLog: ServerLog,
        _ port: Int,
        _ database: String?,
        _ offset: SharedOffset,
        _ group: ServiceGroup,
        _ serving: Task<Void, any Error>,
        _ server: TokenServer
    ) {
        self.folder = folder
        self.network = network
        self.serverLog = serverLog
        self.port = port
        self.database = database
        self.offset = offset
        self.group = group
        self.serving = serving
        self.server = server
    }

    /// Starts a world, lets `body` live in it, and takes it down.
    ///
    /// - Parameters:
    ///   - database: Where its database is; without it in its folder, or where the tests are told to have it.
    ///   - body: The test's actions in the environment.
    /// - Throws: The error of `body`, or the reason why the environment could not be created.
    static func live(on database: String? = nil, _ body: (TestEnvironment) async throws -> Void) async throws {
        let world = try await start(database)
        do {
            try await body(world)
        } catch {
            try await world.end()
            throw error
        }
        try await world.end()
    }

    private static func start(_ address: String?) async throws -> TestEnvironment {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-world-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let logFile = folder.appending(path: "server.log")
        try Data().write(to: logFile)
        let handle = try FileHandle(forWritingTo: logFile)
        var log = Logger(label: "server") { JSONLogHandler(label: $0, file: handle, metadataProvider: .request) }
        log.logLevel = .debug

        var configuration = ServerConfiguration(dataDirectory: folder.appending(path: "data"))
        configuration.port = 0
        configuration.passwords.logN = 10
        // Loads on a database of their own ask as fast as they are answered.
        if address != nil { configuration.operations.admission.sessionRateLimit.capacity = 1_000_000 }
        let database = try address ?? PostgresCluster.databaseIfAsked()
        configuration.database = try database.map { try PostgresConfiguration($0) }
        let offset = SharedOffset()
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = try TokenServer(
            configuration,
            log: log,
            clock: ClockSource { Timestamp.system() + offset.value.withLockedValue { $0 } },
            onListening: { port.yield($0) }
        )
        let group = ServiceGroup(services: [server.application], logger: log)
        let serving = Task { try await group.run() }
        let listening = try #require(await ports.first { _ in true })
        let network = try await FaultyNetwork.open(to: listening)
        let serverLog = ServerLog(file: logFile)
        return TestEnvironment(folder, network, serverLog, listening, database, offset, group, serving, server)
    }

    private func end() async throws {
        await network.close()
        await group.triggerGracefulShutdown()
        try await serving.value
        try await server.shutDown()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Moves the server's clock: its access tokens end before their time.
    func advanceServer(by span: Duration) { offset.value.withLockedValue { $0 += span } }

    /// The server, as clients reach it.
    var address: URL {
        get throws { try #require(URL(string: "http://127.0.0.1:\(network.port)")) }
    }

    /// A store on disk; one name is one store.
    func store(_ name: String = "owner") -> FileStore {
        FileStore(directory: folder.appending(path: "stores"), name: name)
    }

    /// The counts of the server's log.
    var counts: ServerLog.Counts { serverLog.counts() }

    var configuration: AuthSession.Configuration {
        var configuration = AuthSession.Configuration()
        configuration.refreshPolicy.backoff.first = .milliseconds(5)
        return configuration
    }

    /// A session that is signed in to a new account.
    func signedIn(
        _ email: String = "ann@example.com",
        store: (any SessionStore)? = nil,
        transport: any HTTPTransport = URLSessionTransport(),
        hosts: [String] = []
    ) async throws -> AuthSession {
        var configuration = configuration
        configuration.additionalHosts = hosts
        let session = try AuthSession(
            baseURL: address,
            store: store ?? InMemoryStore(),
            configuration: configuration,
            transport: transport
        )
        try await session.signUp(email: email, password: "correct horse")
        return session
    }

    /// A request of the app to its backend.
    func request(_ path: String = "v1/me") throws -> URLRequest { URLRequest(url: try address.appending(path: path)) }
}
