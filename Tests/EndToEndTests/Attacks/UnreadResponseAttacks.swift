// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// Clients that ask for responses and do not read them.
@Suite(.timeLimit(.minutes(5)))
struct `Attacks by not reading` {
    private static let clients = 12
    private static let request = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test(arguments: ["GET /openapi.json", "GET /v1/me"])
    func `clients that pipeline and do not read hold little memory and are disconnected`(line: String) async throws {
        try await Attack.run("clients pipeline \(line) and read no response") { server in
            // Memory that the first connections and responses leave allocated belongs to no client.
            _ = try await server.send("GET", "/openapi.json")
            let before = try server.residentMemory
            let request = line + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let peers = try (0..<Self.clients).map { _ in try UnresponsivePeer(port: server.port) }
            await withTaskGroup { group in
                for peer in peers {
                    group.addTask {
                        await withCheckedContinuation { continuation in
                            Thread.detachNewThread {
                                peer.flood(request, limit: 4 << 20)
                                continuation.resume()
                            }
                        }
                    }
                }
            }
            let each = try (server.residentMemory - before) / Self.clients
            print("  memory of a connection that pipelines \(line) and does not read: \(each / 1024) KiB")
            try #require(each < 2 << 20)
            for peer in peers { try await peer.closed() }
            try #require(try await server.send("GET", "/healthz").status == 200)
        }
    }

    @Test(.enabled(if: TLSClient.isAvailable, "openssl is not installed"))
    func `an HTTP 2 client that opens no flow-control window is disconnected`() async throws {
        try await Attack.report("an HTTP/2 client that opens no window for a hundred responses") {
            let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-tls-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let certificate = try await TLSClient.makeCertificate(in: folder)
            try await RunningServer.run(certificate) { server in
                let before = try server.residentMemory
                let bytes = TLSClient.withoutWindow(requesting: "/openapi.json", streams: 100)
                async let end = TLSClient.exchange(bytes, port: server.port, protocol: "h2", in: folder)
                // Ends when the server closes the connection, and no sooner.
                _ = try await end
                let grown = try server.residentMemory - before
                print("  memory after an HTTP/2 connection without a window: \(grown / 1024) KiB more")
                try #require(grown < 32 << 20)
            }
        }
    }
}
