// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import Logging
import ServiceLifecycle
import Testing

@testable import FreshetHTTP
@testable import FreshetServer

/// Networks that would take all connections.
///
/// Loopback addresses have no share in the real program, so this server is told to count them.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks on the shares of connections` {
    @Test func `connection limits by network and address block leave capacity for a new network's client`() async throws
    {
        try await Attack.report("connections from a network, its block and twenty other networks") {
            let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-shares-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            var configuration = ServerConfiguration(dataDirectory: folder)
            configuration.port = 0
            configuration.operations.admission.countsLoopback = true
            configuration.operations.admission.connections = 200
            configuration.operations.admission.connectionsPerSource = 20
            // The peers send nothing: on a busy machine the deadline of a request's head would close them before all are open.
            configuration.limits.headTimeout = .seconds(300)
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            let log = Logger(label: "shares") { _ in SwiftLogNoOpLogHandler() }
            let server = try TokenServer(configuration, log: log, onListening: { port.yield($0) })
            let group = ServiceGroup(services: [server.application], logger: log)
            let serving = Task { try await group.run() }
            do {
                try await attack(server, try #require(await ports.first { _ in true }))
            } catch {
                await group.triggerGracefulShutdown()
                _ = try? await serving.value
                try await server.shutDown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await serving.value
            try await server.shutDown()
        }
    }

    private func attack(_ server: TokenServer, _ port: Int) async throws {
        let admission = server.parts.admission
        // One network has its share.
        var held = try await connect(21, closed: 1, port) { _ in "127.0.9.1" }
        try #require(admission.connections == 20)
        // With the other networks of its block it has a quarter of all.
        held += try await connect(39, closed: 9, port) { "127.0.9.\($0 + 2)" }
        try #require(admission.connections == 50)
        // Many blocks, each with more than it needs, stop short of the reserve: of 20 places some go to the first of each.
        held += try await connect(200, closed: 63, port) { "127.0.\(10 + $0 / 10).1" }
        try #require(admission.connections <= 187)
        let refused = admission.refusedConnections
        try #require(refused[.networkShare] == 1 && refused[.blockShare] == 9 && refused[.reserved] ?? 0 >= 63)
        let status = try await RawClient.connected(to: port, from: "127.0.200.1") { conversation in
            var conversation = conversation
            try await conversation.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return try await conversation.response().status
        }
        try #require(status == 200)
        withExtendedLifetime(held) {}
    }

    /// Opens connections, and returns once a number of them are closed.
    private func connect(
        _ count: Int,
        closed: Int,
        _ port: Int,
        from source: (Int) -> String
    ) async throws -> [UnresponsivePeer] {
        let peers = try (0..<count).map { try UnresponsivePeer(port: port, from: source($0)) }
        try await withThrowingTaskGroup { group in
            for peer in peers { group.addTask { try await peer.closed() } }
            for _ in 0..<closed { try await group.next() }
            group.cancelAll()
        }
        return peers
    }
}
