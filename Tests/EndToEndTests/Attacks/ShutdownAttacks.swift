// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
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

    @Test(.enabled(if: TLSClient.isAvailable), arguments: [false, true])
    func `SIGTERM ends the server within the drain time whatever its peers do`(hasTLS: Bool) async throws {
        let peers = hasTLS ? "hold TLS connections and HTTP/2 windows" : "do not read, hold heads and bodies"
        try await Attack.report("SIGTERM with peers that \(peers)") {
            let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-tls-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let tls = hasTLS ? try await TLSClient.makeCertificate(in: folder) : []
            try await RunningServer.run(["--drain", "1s"] + tls) { server in
                var peers: [SilentPeer] = []
                for text in Self.held {
                    peers.append(try SilentPeer(port: server.port))
                    peers.last?.send(text.isEmpty ? "G" : text)
                }
                let request = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
                if hasTLS {
                    let bytes = TLSClient.withoutWindow(requesting: "/openapi.json", streams: 100)
                    async let first = TLSClient.exchange(bytes, port: server.port, protocol: "h2", in: folder)
                    let head = Array(Self.held[2].utf8)
                    async let second = TLSClient.exchange(head, port: server.port, protocol: "http/1.1", in: folder)
                    // A handshake and a request have been answered by the time a later one is.
                    let whole = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
                    _ = try await TLSClient.exchange(whole, port: server.port, protocol: "http/1.1", in: folder)
                    try await stop(server)
                    _ = try await (first, second)
                } else {
                    for _ in 1...20 {
                        peers.append(try SilentPeer(port: server.port))
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
                        try await conversation.send(
                            "GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                + "Authorization: Bearer \(token)\r\n\r\n"
                        )
                        let response = try await conversation.response()
                        try #require(response.status == 101)
                        try await stop(server)
                        return try await conversation.readToEnd()
                    }
                    try #require(end.contains("server_stopping"))
                }
            }
        }
    }

    /// Sends SIGTERM, waits for the process's end, and requires it in time.
    private func stop(_ server: RunningServer) async throws {
        let start = ContinuousClock.now
        await server.process.terminate()
        let took = ContinuousClock.now - start
        print("  the server ended \(took) after SIGTERM")
        // A second of drain time; the database may wait five more for its lock, and the machine may be busy.
        try #require(took < .seconds(10))
        try #require(await server.process.wait().status == 0)
    }
}
