// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import FreshetWire
import ServerFixtures
import Testing

@testable import FreshetHTTP
@testable import FreshetIdentity
@testable import FreshetMetrics
@testable import FreshetServer

/// TLS as curl and openssl speak it, with certificates that are made for the test.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(
        if: ["openssl", "curl"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
    )
)
struct `A server with a certificate` {
    let server = ServerUnderTest()

    private func run(_ program: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        // Not Foundation's Process: it looks through all open files, which other tests open and close meanwhile.
        let words = (["/usr/bin/\(program)"] + arguments).map { "'\($0.replacing("'", with: "'\\''"))'" }
        let line = words.joined(separator: " ") + " </dev/null 2>/dev/null"
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                guard let stream = popen(line, "r") else {
                    return continuation.resume(throwing: POSIXError(.init(rawValue: errno) ?? .EIO))
                }
                var (output, part) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
                while case let count = fread(&part, 1, part.count, stream), count > 0 { output += part[..<count] }
                let status = pclose(stream) >> 8
                continuation.resume(returning: (status, String(decoding: output, as: UTF8.self)))
            }
        }
    }

    private func files(_ name: String) -> TLSFiles {
        TLSFiles(
            certificate: server.folder.appending(path: "\(name).pem"),
            key: server.folder.appending(path: "\(name).key")
        )
    }

    private func makeCertificate(_ name: String) async throws -> TLSFiles {
        try PrivateFiles.prepare(server.folder)
        let files = files(name)
        let made = try await run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", files.key.path, "-out",
                files.certificate.path,
            ]
        )
        try #require(made.status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.key.path)
        return files
    }

    private func curl(_ caller: TestHTTPClient, _ path: String, trusting files: TLSFiles, _ more: [String] = [])
        async throws
        -> (
            status: Int32, output: String
        )
    {
        let port = try #require(caller.port)
        let url = "https://localhost:\(port)\(path)"
        let resolve = ["--resolve", "localhost:\(port):127.0.0.1", "--cacert", files.certificate.path]
        return try await run("curl", ["-s", "-i", "--noproxy", "*", "--max-time", "30"] + resolve + more + [url])
    }

    private func configuration(_ files: TLSFiles) -> ServerConfiguration {
        var configuration = server.configuration
        configuration.operations.tls = files
        return configuration
    }

    @Test func `answers over TLS, says that it always will, and speaks no plain HTTP`() async throws {
        let files = try await makeCertificate("one")
        try await server.run(configuration(files)) { caller in
            let answer = try await curl(caller, NativePath.live, trusting: files, ["--http1.1"])
            #expect(answer.status == 0)
            #expect(answer.output.hasPrefix("HTTP/1.1 200"))
            #expect(answer.output.lowercased().contains("strict-transport-security: max-age=31536000"))
            let port = try #require(caller.port)
            let plain = try await run("curl", ["-s", "-m", "3", "http://127.0.0.1:\(port)/healthz"])
            #expect(plain.status != 0)
        }
    }

    @Test func `stops without waiting for who never says a word of TLS`() async throws {
        var configuration = configuration(try await makeCertificate("one"))
        configuration.limits.headTimeout = .seconds(3600)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        async let said = RawConnection.exchange(port: try #require(await ports.first { _ in true }))
        try await server.run(configuration) { caller in
            port.yield(try #require(caller.port))
            while caller.parts.admission.connections == 0 {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        #expect(try await said == "")
    }

    @Test func `speaks HTTP/2 with who can, by the same routes, lane and limits`() async throws {
        let files = try await makeCertificate("one")
        let box = GrantBox()
        try await server.run { caller in box.set([try await caller.signUp()]) }
        let grant = try #require(box.all.first)
        try await server.run(configuration(files)) { caller in
            func answer(_ path: String, _ more: [String] = []) async throws -> String {
                try await curl(caller, path, trusting: files, ["--http2"] + more).output
            }
            func post(_ path: String, _ body: String) async throws -> String {
                try await answer(path, ["-H", "Content-Type: application/json", "-d", body])
            }
            let me = try await answer(NativePath.me, ["-H", "Authorization: Bearer \(grant.accessToken)"])
            #expect(me.hasPrefix("HTTP/2 200") && me.contains("ann@example.com"))
            let intent = Intent.random().text
            let refresh = #"{"refresh_token":"\#(grant.refreshToken)","intent":"\#(intent)"}"#
            let (first, second) = (
                try await post(NativePath.refresh, refresh), try await post(NativePath.refresh, refresh)
            )
            #expect(
                first.hasPrefix("HTTP/2 200") && first.contains(#""refresh_token""#) && second.hasPrefix("HTTP/2 200")
            )
            let taken = caller.parts.metrics.text
            #expect(taken.contains(#"freshet_lane_requests_total{route="/v1/refresh",way="parts"} 2"#))
            let third = try await curl(
                caller,
                NativePath.refresh,
                trusting: files,
                ["--http1.1", "-H", "Content-Type: application/json", "-d", refresh]
            )
            #expect(third.output.hasPrefix("HTTP/1.1 200") && third.output.contains("Strict-Transport-Security: "))
            let direct = caller.parts.metrics.text
            #expect(direct.contains(#"freshet_lane_requests_total{route="/v1/refresh",way="direct"} 1"#))
            // What says how a connection of HTTP/1.1 goes on has no place here.
            let socket = try await answer(NativePath.socket)
            #expect(socket.hasPrefix("HTTP/2 426") && !socket.lowercased().contains("\nconnection:"))
            #expect(try await post("/v1/refresh?x", "{}").hasPrefix("HTTP/2 400"))
            #expect(try await answer("/no/such/path").hasPrefix("HTTP/2 404"))
            let long = String(repeating: "x", count: caller.parts.configuration.limits.bodyBytes + 1)
            #expect(try await post(NativePath.refresh, #"{"refresh_token":"\#(long)"}"#).hasPrefix("HTTP/2 413"))
            #expect(caller.parts.admission.requests == 0)
        }
    }

    @Test func `closes a connection on which nobody says a word, whatever it was to become`() async throws {
        let files = try await makeCertificate("one")
        var configuration = configuration(files)
        configuration.limits.headTimeout = .milliseconds(200)
        configuration.limits.bodyTimeout = .milliseconds(100)
        configuration.limits.idleTimeout = .milliseconds(200)
        try await server.run(configuration) { caller in
            let port = try #require(caller.port)
            // Neither ends by itself: it waits for the other side to hang up.
            let silent = try await run("timeout", ["60", "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); cat <&3"])
            #expect(silent.status == 0)
            for protocols in ["h2", "http/1.1"] {
                let words = [
                    "60", "openssl", "s_client", "-quiet", "-alpn", protocols, "-connect", "127.0.0.1:\(port)",
                ]
                let ended = try await run("timeout", words)
                #expect(ended.status != 124, "\(protocols)")
            }
            while caller.parts.admission.connections > 0 { await Task.yield() }
        }
    }

    @Test func `opens sockets over TLS`() async throws {
        let files = try await makeCertificate("one")
        let box = GrantBox()
        try await server.run { caller in box.set([try await caller.signUp()]) }
        let token = try #require(box.all.first?.accessToken)
        try await server.run(configuration(files)) { caller in
            let fields = [
                "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Authorization: Bearer \(token)",
            ]
            let more = ["--http1.1", "-N", "--max-time", "8"] + fields.flatMap { ["-H", $0] }
            let answer = try await curl(caller, NativePath.socket, trusting: files, more)
            #expect(answer.output.hasPrefix("HTTP/1.1 101"))
            #expect(answer.output.contains(#""type":"ready""#))
        }
    }

    @Test func `takes a new certificate without a restart, and keeps the old one if the new is of no use`() async throws
    {
        let (files, other) = (try await makeCertificate("one"), try await makeCertificate("two"))
        let first = self.files("first")
        try FileManager.default.copyItem(at: files.certificate, to: first.certificate)
        try await server.run(configuration(files)) { caller in
            let certificate = try #require(caller.parts.certificate)
            try Data("no certificate".utf8).write(to: files.certificate)
            certificate.reloadIfChanged()
            #expect(try await curl(caller, NativePath.live, trusting: first).status == 0)
            for (new, old) in [(other.certificate, files.certificate), (other.key, files.key)] {
                try PrivateFiles.replace(old, with: Array(try Data(contentsOf: new)))
            }
            certificate.reloadIfChanged()
            #expect(try await curl(caller, NativePath.live, trusting: other).status == 0)
            #expect(try await curl(caller, NativePath.live, trusting: first).status != 0)
            #expect(caller.log.messages.contains("the certificate was replaced"))
        }
    }

    @Test func `does not start with a key that everybody may read, or one of another certificate`() async throws {
        let (files, other) = (try await makeCertificate("one"), try await makeCertificate("two"))
        let mixed = TLSFiles(certificate: files.certificate, key: other.key)
        #expect(throws: HTTPStartupError.unreadableCertificate(files.certificate.path)) {
            try TLSCertificate(mixed, log: server.log.logger)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: files.key.path)
        #expect(throws: PrivateFiles.UnsafeKeyFile(path: files.key.path)) {
            try TLSCertificate(files, log: server.log.logger)
        }
    }

    @Test func `listens beyond loopback only with TLS, behind a proxy, or if it is told to`() throws {
        var configuration = server.configuration
        configuration.host = "0.0.0.0"
        #expect(throws: ServerStartupError.insecureListening("0.0.0.0")) { try configuration.validate() }
        for allow in [\OperationsConfiguration.isBehindProxy, \.allowsInsecureListening] {
            var allowed = configuration
            allowed.operations[keyPath: allow] = true
            allowed.signIn.trustedProxies = server.behindProxy.signIn.trustedProxies
            try allowed.validate()
        }
        configuration.operations.tls = files("one")
        try configuration.validate()
    }
}
