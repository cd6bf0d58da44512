// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import freshet

/// The certificates that the tool trusts, with a server that has one of its own.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TLSClient.isAvailable, "openssl is not installed"))
struct `The trusted certificates of the tool` {
    /// A server with TLS, and the tool on the profile of an environment.
    private struct Scene {
        let world: TestEnvironment
        let server: RunningServer
        let certificate: String
        let key: String

        var address: String { "https://localhost:\(server.port)" }

        func tool(_ arguments: [String], input: String? = nil, trusting file: String = "") async throws
            -> TestEnvironment.ToolResult
        {
            try await world.tool(arguments, input: input, environment: ["SSL_CERT_FILE": file])
        }

        func login(_ more: [String] = [], host: String = "localhost", trusting file: String = "") async throws
            -> TestEnvironment.ToolResult
        {
            let account = ["--email", "ann@example.com", "--password-stdin"]
            let server = ["login", "--server", "https://\(host):\(server.port)"]
            return try await tool(server + account + more, input: "correct horse\n", trusting: file)
        }
    }

    private func withScene(_ body: (Scene) async throws -> Void) async throws {
        try await TestEnvironment.live { world in
            let options = try await TLSClient.makeCertificate(in: world.folder)
            try await RunningServer.run(options) { server in
                try await body(Scene(world: world, server: server, certificate: options[1], key: options[3]))
            }
        }
    }

    @Test func `the tool trusts the certificates in SSL_CERT_FILE, and reports invalid files and untrusted servers`()
        async throws
    {
        try await withScene { scene in
            for (host, file, status, sentence) in [
                (
                    "localhost", "", 5,
                    "\(scene.address): the certificate is not trusted; --cacert or SSL_CERT_FILE can name"
                ),
                (
                    "127.0.0.1", scene.certificate, 5,
                    "https://127.0.0.1:\(scene.server.port): the certificate is that of another host name"
                ),
                ("localhost", "/nix.pem", 64, "SSL_CERT_FILE: /nix.pem: there is no such file"),
                ("localhost", "/tmp", 64, "SSL_CERT_FILE: /tmp: is a folder, not a file"),
                ("localhost", scene.key, 64, "SSL_CERT_FILE: \(scene.key): has no certificates in PEM"),
            ] as [(String, String, Int32, String)] {
                let refused = try await scene.login(["--sign-up"], host: host, trusting: file)
                #expect(refused.status == status)
                #expect(refused.notes.hasPrefix("freshet: \(sentence)"), "\(refused.notes)")
            }
            let trusted = try await scene.login(["--sign-up"], trusting: scene.certificate)
            #expect(trusted.status == 0, "\(trusted.notes)")
        }
    }

    @Test func `the tool trusts the certificates of --cacert, and the profile stores the file's path`() async throws {
        try await withScene { scene in
            let cacert = ["--cacert", scene.certificate]
            #expect(try await scene.login(cacert + ["--sign-up"], trusting: "/nix.pem").status == 0)
            for command in [["token", "--refresh"], ["request", "GET", "/v1/me"], ["sessions"], ["status"]] {
                let ending = try await scene.tool(command)
                #expect(ending.status == 0, "\(command): \(ending.notes)")
            }
            let token = try await scene.tool(["token"]).output
            let verify = [
                "verify", "--jwks", scene.address + "/.well-known/jwks.json", "--issuer", "http://localhost",
                "--audience",
                "api",
            ]
            let verified = try await scene.tool(verify + cacert, input: token)
            #expect(verified.status == 0 && verified.output.hasPrefix("ok "), "\(verified.notes)")
            let untrusted = try await scene.tool(verify, input: token)
            #expect(untrusted.status == 5 && untrusted.notes.contains("the certificate is not trusted"))
            let test = ["contract", "test", "freshet", "--base-url", scene.address, "--longest-wait", "0s"]
            let tested = try await scene.tool(
                test + ["--email", "ann@example.com", "--password-stdin"] + cacert,
                input: "correct horse\n"
            )
            #expect(tested.status == 0, "\(tested.output)\(tested.notes)")

            for (file, fault) in [("/nix.pem", "there is no such file"), (scene.key, "has no certificates in PEM")] {
                let wrong = try await scene.tool(["token", "--cacert", file])
                #expect(wrong.status == 64 && wrong.output.isEmpty)
                #expect(wrong.notes.hasPrefix("freshet: --cacert: \(file): \(fault)\n"), "\(wrong.notes)")
            }
            try FileManager.default.removeItem(atPath: scene.certificate)
            #expect(try await scene.tool(["status"]).status == 0)
            let moved = try await scene.tool(["token", "--refresh"])
            #expect(moved.status == 64)
            #expect(moved.notes.hasSuffix("freshet: profile default: \(scene.certificate): there is no such file\n"))
        }
    }
}
