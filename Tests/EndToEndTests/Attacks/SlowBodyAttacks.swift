// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// Bodies that are held back, so that what was true when the head arrived is acted on later.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks by slow bodies` {
    private static let refresh =
        "POST /v1/refresh HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
    private static let signup =
        "POST /v1/signup HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
    private static let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test(arguments: [
        ("the fast path", refresh), ("the router", signup), ("the fast path behind another request", health + refresh),
        ("the router behind other requests", health + health + signup),
    ])
    func `a connection is closed when its request body arrives too slowly`(way: String, text: String) async throws {
        try await Attack.run("a body that trickles, by \(way)") { server in
            try await trickle(text, port: server.port)
        }
    }

    @Test func `a connection to the metrics listener is closed when its request body arrives too slowly`() async throws
    {
        try await Attack.run("a body that trickles, to the metrics' listener", serving: ["--metrics-listen", "0"]) {
            server in
            let line = try await server.logged("metrics are served")
            let port = try #require(line.firstMatch(of: /"port":"?(\d+)/).flatMap { Int($0.1) })
            try await trickle(Self.signup, port: port)
        }
    }

    @Test(.enabled(if: TLSClient.isAvailable, "openssl is not installed"), arguments: ["http/1.1", "h2"])
    func `a request whose body is held back over TLS gets a request_timeout error`(version: String) async throws {
        try await Attack.report("a body that is held back over TLS, by \(version)") {
            let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-tls-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let certificate = try await TLSClient.makeCertificate(in: folder)
            try await RunningServer.run(certificate) { server in
                let bytes = version == "h2" ? TLSClient.withoutBody(posting: "/v1/refresh") : Array(Self.refresh.utf8)
                // Ends when the server closes the connection, which on HTTP/2 it does once it is idle.
                let output = try await TLSClient.exchange(bytes, port: server.port, protocol: version, in: folder)
                try #require(output.contains(#""error":"request_timeout""#), "\(output)")
            }
        }
    }

    /// Sends the head, then a byte of the body each second, and requires that the server closes before the body is whole.
    private func trickle(_ text: String, port: Int) async throws {
        let peer = try UnresponsivePeer(port: port)
        peer.send(text)
        // The attacker's pace, not a wait for an event, four times the deadline long; the test waits for the server to close.
        let trickle = Task {
            for _ in 0..<60 {
                try await Task.sleep(for: .seconds(1))
                peer.send("{")
            }
        }
        try await peer.closed()
        trickle.cancel()
        let sending = await trickle.result
        try #require((try? sending.get()) == nil, "the whole minute passed before the server closed")
    }
}
