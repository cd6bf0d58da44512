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
    .enabled(if: ServerUnderTest.hasTLSPrograms)
)
struct `A server with a certificate` {
    let server = ServerUnderTest()

    private func configuration(_ files: TLSFiles) -> ServerConfiguration {
        var configuration = server.configuration
        configuration.operations.tls = files
        return configuration
    }

    @Test func `a server with a certificate responds over TLS, sends an HSTS header, and refuses plain HTTP`()
        async throws
    {
        let files = try await server.makeCertificate("one")
        try await server.run(configuration(files)) { caller in
            let answer = try await server.curl(caller, NativePath.live, trusting: files, ["--http1.1"])
            #expect(answer.status == 0)
            #expect(answer.output.hasPrefix("HTTP/1.1 200"))
            #expect(answer.output.lowercased().contains("strict-transport-security: max-age=31536000"))
            let port = try #require(caller.port)
            let plain = try await ServerUnderTest.run("curl", ["-s", "-m", "3", "http://127.0.0.1:\(port)/healthz"])
            #expect(plain.status != 0)
        }
    }

    @Test func `the server stops without waiting for a client that never starts a TLS handshake`() async throws {
        var configuration = configuration(try await server.makeCertificate("one"))
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

    @Test func `an HTTP 2 client gets the same routes, fast path and limits as an HTTP 1.1 client`() async throws {
        let files = try await server.makeCertificate("one")
        let box = GrantBox()
        try await server.run { caller in box.set([try await caller.signUp()]) }
        let grant = try #require(box.all.first)
        try await server.run(configuration(files)) { caller in
            func answer(_ path: String, _ more: [String] = []) async throws -> String {
                try await server.curl(caller, path, trusting: files, ["--http2"] + more).output
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
            let third = try await server.curl(
                caller,
                NativePath.refresh,
                trusting: files,
                ["--http1.1", "-H", "Content-Type: application/json", "-d", refresh]
            )
            #expect(third.output.hasPrefix("HTTP/1.1 200") && third.output.contains("Strict-Transport-Security: "))
            let direct = caller.parts.metrics.text
            #expect(direct.contains(#"freshet_lane_requests_total{route="/v1/refresh",way="direct"} 1"#))
            // Connection-specific header fields of HTTP/1.1 are not allowed in HTTP/2.
            let socket = try await answer(NativePath.socket)
            #expect(socket.hasPrefix("HTTP/2 426") && !socket.lowercased().contains("\nconnection:"))
            #expect(try await post("/v1/refresh?x", "{}").hasPrefix("HTTP/2 400"))
            #expect(try await answer("/no/such/path").hasPrefix("HTTP/2 404"))
            let long = String(repeating: "x", count: caller.parts.configuration.limits.bodyBytes + 1)
            #expect(try await post(NativePath.refresh, #"{"refresh_token":"\#(long)"}"#).hasPrefix("HTTP/2 413"))
            #expect(caller.parts.admission.requests == 0)
        }
    }

    @Test func `the server closes a silent connection, regardless of the negotiated protocol`() async throws {
        let files = try await server.makeCertificate("one")
        var configuration = configuration(files)
        configuration.limits.headTimeout = .milliseconds(200)
        configuration.limits.bodyTimeout = .milliseconds(100)
        configuration.limits.idleTimeout = .milliseconds(200)
        try await server.run(configuration) { caller in
            let port = try #require(caller.port)
            // Neither ends by itself: it waits for the other side to hang up.
            let silent = try await ServerUnderTest.run(
                "timeout",
                ["60", "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); cat <&3"]
            )
            #expect(silent.status == 0)
            for protocols in ["h2", "http/1.1"] {
                let arguments = [
                    "60", "openssl", "s_client", "-quiet", "-alpn", protocols, "-connect", "127.0.0.1:\(port)",
                ]
                let ended = try await ServerUnderTest.run("timeout", arguments)
                #expect(ended.status != 124, "\(protocols)")
            }
            while caller.parts.admission.connections > 0 { await Task.yield() }
        }
    }

    @Test func `a client opens a WebSocket over TLS`() async throws {
        let files = try await server.makeCertificate("one")
        let box = GrantBox()
        try await server.run { caller in box.set([try await caller.signUp()]) }
        let token = try #require(box.all.first?.accessToken)
        try await server.run(configuration(files)) { caller in
            let fields = [
                "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Authorization: Bearer \(token)",
            ]
            let more = ["--http1.1", "-N", "--max-time", "8"] + fields.flatMap { ["-H", $0] }
            let answer = try await server.curl(caller, NativePath.socket, trusting: files, more)
            #expect(answer.output.hasPrefix("HTTP/1.1 101"))
            #expect(answer.output.contains(#""type":"ready""#))
        }
    }

    @Test func `the server loads a new certificate without a restart, and keeps the old one if the new one is invalid`()
        async throws
    {
        let (files, other) = (try await server.makeCertificate("one"), try await server.makeCertificate("two"))
        let first = server.certificateFiles("first")
        try FileManager.default.copyItem(at: files.certificate, to: first.certificate)
        try await server.run(configuration(files)) { caller in
            let certificate = try #require(caller.parts.certificate)
            try Data("no certificate".utf8).write(to: files.certificate)
            certificate.reloadIfChanged()
            #expect(try await server.curl(caller, NativePath.live, trusting: first).status == 0)
            for (new, old) in [(other.certificate, files.certificate), (other.key, files.key)] {
                try PrivateFiles.replace(old, with: Array(try Data(contentsOf: new)))
            }
            certificate.reloadIfChanged()
            #expect(try await server.curl(caller, NativePath.live, trusting: other).status == 0)
            #expect(try await server.curl(caller, NativePath.live, trusting: first).status != 0)
            #expect(caller.log.messages.contains("the certificate was replaced"))
        }
    }

    @Test func `the server loads a new certificate once the mode of its key file is private`()
        async throws
    {
        let (files, other) = (try await server.makeCertificate("one"), try await server.makeCertificate("two"))
        try await server.run(configuration(files)) { caller in
            let certificate = try #require(caller.parts.certificate)
            func setMode(_ mode: Int) throws {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: files.key.path)
            }
            for (new, old) in [(other.certificate, files.certificate), (other.key, files.key)] {
                try PrivateFiles.replace(old, with: Array(try Data(contentsOf: new)))
            }
            try setMode(0o644)
            certificate.reloadIfChanged()
            #expect(try await server.curl(caller, NativePath.live, trusting: other).status != 0)
            try setMode(0o600)
            certificate.reloadIfChanged()
            #expect(try await server.curl(caller, NativePath.live, trusting: other).status == 0)
        }
    }

    @Test func `a server does not start with a world-readable key, or one of another certificate`() async throws {
        let (files, other) = (try await server.makeCertificate("one"), try await server.makeCertificate("two"))
        let mixed = TLSFiles(certificate: files.certificate, key: other.key)
        #expect(throws: HTTPStartupError.unreadableCertificate(files.certificate.path)) {
            try TLSCertificate(mixed, log: server.log.logger)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: files.key.path)
        #expect(throws: PrivateFiles.UnsafeKeyFile(path: files.key.path)) {
            try TLSCertificate(files, log: server.log.logger)
        }
    }

    @Test func `a server does not start without its TLS certificate or key, and the error names the file and setting`()
        async throws
    {
        let files = try await server.makeCertificate("one")
        let missing = server.folder.appending(path: "missing.pem")
        for (files, setting) in [
            (TLSFiles(certificate: missing, key: files.key), "tls-certificate"),
            (TLSFiles(certificate: files.certificate, key: missing), "tls-key"),
        ] {
            let reason = "No such file or directory"
            let error = HTTPStartupError.unreadableFile(setting: setting, path: missing.path, reason: reason)
            #expect(throws: error) { try TLSCertificate(files, log: server.log.logger) }
            #expect(error.setting == setting)
            #expect("\(error)" == "\(missing.path): cannot be read (No such file or directory)")
        }
    }

    @Test func `a server listens beyond loopback only with TLS, behind a proxy, or if insecure listening is allowed`()
        throws
    {
        var configuration = server.configuration
        configuration.host = "0.0.0.0"
        #expect(throws: ServerStartupError.insecureListening("0.0.0.0")) { try configuration.validate() }
        for allow in [\OperationsConfiguration.isBehindProxy, \.allowsInsecureListening] {
            var allowed = configuration
            allowed.operations[keyPath: allow] = true
            allowed.signIn.trustedProxies = server.behindProxy.signIn.trustedProxies
            try allowed.validate()
        }
        configuration.operations.tls = server.certificateFiles("one")
        try configuration.validate()
    }
}
