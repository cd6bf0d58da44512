// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOConcurrencyHelpers
import PostgresCluster
import ServerFixtures
import Testing

@testable import freshet

/// Peers that would keep a server from stopping.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks on the shutdown` {
    private static let held = [
        "", "GET /v1/me HTTP/1.1\r\nHost:",
        "POST /v1/signup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
        "POST /v1/refresh HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{",
    ]

    @Test(.enabled(if: TLSClient.isAvailable, "openssl is not installed"), arguments: [false, true])
    func `SIGTERM stops the server within seconds while clients hold connections open`(hasTLS: Bool) async throws {
        let peers = hasTLS ? "hold TLS connections and HTTP/2 windows" : "do not read, hold heads and bodies"
        try await Attack.report("SIGTERM with peers that \(peers)") {
            let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-tls-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let tls = hasTLS ? try await TLSClient.makeCertificate(in: folder) : []
            var quickest = Duration.seconds(60)
            // A busy machine delays one end, and hardly three; a TLS connection that waits for a close_notify takes five
            // seconds more each time.
            for _ in 1...3 where quickest >= .seconds(5) {
                quickest = min(quickest, try await end(hasTLS: hasTLS, tls, folder))
            }
            try #require(quickest < .seconds(5))
        }
    }

    /// Starts a server, occupies it, and returns the time that it takes to end.
    private func end(hasTLS: Bool, _ tls: [String], _ folder: URL) async throws -> Duration {
        let took = NIOLockedValueBox(Duration.zero)
        func stop(_ server: RunningServer) async throws {
            let time = try await self.stop(server)
            took.withLockedValue { $0 = time }
        }
        try await RunningServer.run(["--drain", "1s"] + tls) { server in
            var peers: [UnresponsivePeer] = []
            for text in Self.held {
                peers.append(try UnresponsivePeer(port: server.port))
                peers.last?.send(text.isEmpty ? "G" : text)
            }
            let request = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
            if hasTLS {
                // A handshake that does not go on.
                peers.append(try UnresponsivePeer(port: server.port))
                peers.last?.send("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}")
                let streams = TLSClient.withoutWindow(requesting: "/openapi.json", streams: 100) + TLSClient.ping
                let answered = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                var clients = [try TLSClient.start(streams, port: server.port, protocol: "h2", in: folder)]
                for held in Self.held[1...] {
                    let bytes = Array((answered + held).utf8)
                    clients.append(
                        try TLSClient.start(bytes, port: server.port, protocol: "http/1.1", in: folder)
                    )
                }
                do {
                    for client in clients {
                        // The first request has been answered; from now on the client answers no close_notify.
                        try #require(await client.lines.first { _ in true } != nil)
                        client.signal(SIGSTOP)
                    }
                    try await stop(server)
                } catch {
                    for client in clients { await client.kill() }
                    throw error
                }
                for client in clients { await client.kill() }
            } else {
                for _ in 1...20 {
                    peers.append(try UnresponsivePeer(port: server.port))
                    peers.last?.flood(request, limit: 1 << 20)
                }
                let grant = try await server.send(
                    "POST",
                    "/v1/signup",
                    json: ["email": "ann@example.com", "password": "correct horse"]
                )
                let token = try #require(grant.string("access_token"))
                let end = try await RawClient.connected(to: server.port) { conversation in
                    var conversation = conversation
                    try await conversation.send(RawClient.socketHandshake(bearer: token))
                    let response = try await conversation.response()
                    try #require(response.status == 101)
                    try await stop(server)
                    return try await conversation.readToEnd()
                }
                try #require(end.contains("server_stopping"))
            }
        }
        return took.withLockedValue { $0 }
    }

    /// PostgreSQL lets a durable commit wait for a lost standby without end.
    @Test(.enabled(if: PostgresCluster.isWanted, "FRESHET_WITHOUT_POSTGRES is set"))
    func `SIGTERM stops the server with exit code 0 while PostgreSQL waits for its lost standby`() async throws {
        let cluster = try await onThread { try PostgresCluster() }
        defer { cluster.stop() }
        let database = try await onThread { try cluster.database() }
        try await Attack.run(
            "SIGTERM without PostgreSQL's standby",
            serving: ["--drain", "1s", "--database", database]
        ) {
            server in
            let account = ["email": "ann@example.com", "password": "correct horse"]
            let grant = try await server.send("POST", "/v1/signup", json: account)
            let token = try #require(grant.string("refresh_token"))
            try await onThread { try cluster.loseStandby() }
            async let logout = server.send("POST", "/v1/logout", json: ["refresh_token": token])
            try await onThread { try cluster.waitUntilCommitsWait(1) }
            _ = try await stop(server)
            // Without a response, or after a 503, a client repeats the logout.
            if let reply = try? await logout { try #require(reply.status == 503) }
        }
    }

    /// Sends SIGTERM, and returns the time until the process's end.
    private func stop(_ server: RunningServer) async throws -> Duration {
        let start = ContinuousClock.now
        server.process.signal(SIGTERM)
        let end = await server.process.wait()
        let took = end.time - start
        print("  the server ended \(took) after SIGTERM")
        try #require(end.status == 0)
        return took
    }
}
