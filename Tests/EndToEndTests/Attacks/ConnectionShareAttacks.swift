// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import Logging
import ServiceLifecycle
import Testing

@testable import FreshetServer

/// Networks that would take all connections. Loopback addresses have no share in the real program, so this server is told to count
/// them.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks on the shares of connections` {
    @Test func `a network, its address block and many others together leave places for a new one`() async throws {
        try await Attack.report("connections from a network, its block and twenty other networks") {
            let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-shares-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            var configuration = ServerConfiguration(dataDirectory: folder)
            configuration.port = 0
            configuration.operations.load.countsLoopback = true
            configuration.operations.load.connections = 200
            configuration.operations.load.connectionsPerSource = 20
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            let server = try TokenServer(
                configuration,
                log: Logger(label: "shares") { _ in SwiftLogNoOpLogHandler() },
                onListening: { port.yield($0) }
            )
            let group = ServiceGroup(services: [server.application], logger: Logger(label: "shares") { _ in SwiftLogNoOpLogHandler() })
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
        let load = server.parts.load
        // One network: the last one is closed at once, because those before it hold the share.
        var held = try (1...21).map { _ in try SilentPeer(port: port, from: "127.0.9.1") }
        await held.removeLast().closed()
        try #require(load.connections == 20)
        // The rest of its block: a quarter of all, in all.
        for host in 2...40 { held.append(try SilentPeer(port: port, from: "127.0.9.\(host)")) }
        await held.removeLast().closed()
        try #require(load.connections == 50)
        // Many blocks, each with its full share: they stop short of the reserve.
        for block in 10..<30 {
            for _ in 1...10 { held.append(try SilentPeer(port: port, from: "127.0.\(block).1")) }
        }
        await held.removeLast().closed()
        try #require(load.connections < 200)
        let refused = load.refusedConnections
        try #require(refused[.networkShare] ?? 0 > 0 && refused[.blockShare] ?? 0 > 0 && refused[.reserved] ?? 0 > 0)
        let status = try await RawClient.connected(to: port, from: "127.0.200.1") { conversation in
            var conversation = conversation
            try await conversation.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return try await conversation.response().status
        }
        try #require(status == 200)
        withExtendedLifetime(held) {}
    }
}
