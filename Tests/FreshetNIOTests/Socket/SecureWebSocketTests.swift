// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import NIOSSL
import Testing

@testable import FreshetNIO

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The transport with TLS, against a server whose certificate is made for the test.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed")
)
struct `NIO WebSocket transport with TLS` {
    let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-\(UUID().uuidString)")

    /// A key and a certificate for `localhost`, signed by itself.
    func makeCertificate() async throws -> (key: String, certificate: String) {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (key, certificate) = (folder.appending(path: "key.pem").path, folder.appending(path: "cert.pem").path)
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ]
        openssl.standardInput = FileHandle.nullDevice
        openssl.standardError = FileHandle.nullDevice
        // Waiting for it would hold up a thread that others need.
        let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
        openssl.terminationHandler = { ended.yield($0.terminationStatus) }
        try openssl.run()
        for await status in ends {
            try #require(status == 0)
            break
        }
        return (key, certificate)
    }

    func connect(_ server: WebSocketServer, _ tls: TLSConfiguration) async throws -> any WebSocketConnection {
        let url = try #require(URL(string: "wss://localhost:\(server.port)/echo"))
        let transport = NIOWebSocketTransport(tls: tls)
        return try await transport.connect(URLRequest(url: url), protocols: [], limits: WebSocketLimits())
    }

    @Test func `a client exchanges messages with a trusted server, and refuses an untrusted certificate`() async throws
    {
        let (key, certificate) = try await makeCertificate()
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try await WebSocketServer.start(
            tls: .makeServerConfiguration(
                certificateChain: [.certificate(try NIOSSLCertificate.fromPEMFile(certificate)[0])],
                privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
            )
        )
        var trusting = TLSConfiguration.makeClientConfiguration()
        trusting.trustRoots = .file(certificate)
        let connection = try await connect(server, trusting)
        let large = WebSocketMessage.data(Data(repeating: 7, count: 1 << 18))
        for message in [.text("hello"), large] {
            try await connection.send(message)
            #expect(try await connection.receive() == message)
        }
        await connection.close(code: 1000)
        await #expect(throws: WebSocketError.lost) { _ = try await connect(server, .makeClientConfiguration()) }
        await server.stop()
    }
}
