// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import Testing

@testable import freshet

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `freshet serve --dev` on a terminal, with a real client.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct `freshet serve --dev` {
    private func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-dev-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Reads lines until one has the text.
    private func line(_ text: String, _ lines: AsyncStream<String>) async throws -> String {
        try #require(await lines.first { $0.contains(text) }, "no line has '\(text)'")
    }

    @Test func `keys on the terminal drop a response, expire access tokens and end a client's session`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let terminal = try PseudoTerminal()
        let data = folder.appending(path: "data").path
        let (_, status) = try terminal.run(["serve", "--dev", "--port", "0", "--data", data])
        let lines = terminal.lines
        _ = try await line("`freshet init` asks what you have", lines)
        let address = try await line("listening on ", lines).split(separator: " ").last.map(String.init)
        _ = try await line(FaultSwitches.help, lines)
        #expect(!terminal.isInLineMode)

        var configuration = AuthSession.Configuration()
        configuration.refreshPolicy.backoff.first = .milliseconds(5)
        configuration.refreshPolicy.minimumInterval = .zero
        let server = try #require(address.flatMap(URL.init(string:)))
        let session = try AuthSession(
            baseURL: server,
            store: InMemoryStore(),
            configuration: configuration,
            transport: URLSessionTransport()
        )
        let attempt = try await session.requestEmailCode(email: "ann@example.com")
        let code = try await line("Login code for ann@example.com: ", lines).split(separator: " ").last
        _ = try await session.signIn(.emailCode(attempt, code: String(try #require(code))))
        let id = try #require(session.status.sessionID)
        _ = try await line("Session \(id) opened by code", lines)

        // The response is lost after the commit, and the client gets the same tokens again.
        terminal.type("d")
        _ = try await line("The answer to the next refresh will be dropped", lines)
        try await session.refresh()
        _ = try await line("Refresh of session \(id) with token 0: new tokens.", lines)
        _ = try await line("The answer to a refresh was dropped", lines)
        _ = try await line("Refresh of session \(id) with token 0: the same tokens again", lines)
        #expect(session.status.generation == 1)

        // Every call succeeds, and one of them finds that its token has expired.
        terminal.type("x")
        _ = try await line("All access tokens expire now", lines)
        while session.status.generation == 1 {
            let (_, response) = try await session.data(for: URLRequest(url: server.appending(path: "v1/me")))
            #expect(response.statusCode == 200)
        }
        _ = try await line("Refresh of session \(id) with token 1: new tokens.", lines)

        terminal.type("e")
        _ = try await line("Session \(id) ended (revoked_by_operator): An operator ended this session.", lines)
        await #expect(throws: SessionError.signedOut(.revokedByOperator)) { try await session.refresh() }
        _ = try await line("Refresh of session \(id) with token 2 refused (revoked_by_operator)", lines)

        terminal.type("q")
        #expect(await status.value == 0)
        #expect(terminal.isInLineMode)
    }

    @Test func `a development server without a terminal prints lines and ignores keys`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try ChildProcess(
            ["serve", "--dev", "--port", "0", "--data", folder.appending(path: "data").path],
            program: TestEnvironment.program,
            input: "q"
        )
        let lines = server.lines
        let address = try await line("listening on ", lines).split(separator: " ").last.map(String.init)
        let session = try AuthSession(
            baseURL: try #require(address.flatMap(URL.init(string:))),
            store: InMemoryStore(),
            transport: URLSessionTransport()
        )
        try await session.signUp(email: "ann@example.com", password: "correct horse")
        _ = try await line("opened by password", lines)
        try await session.signOut()
        _ = try await line("ended (logout)", lines)
        server.signal(SIGINT)
        let ending = await server.wait()
        #expect(ending.status == 0)
        #expect(!ending.output.contains("Keys:") && !ending.output.contains("frt_"))
    }

    @Test(arguments: [
        ["--production"], ["--host", "0.0.0.0", "--insecure-listen"], ["--backend", "melchat"],
        ["--behind-proxy", "--trusted-proxy", "127.0.0.1"],
    ])
    func `the option --dev is refused with production, another address, a proxy or a fake backend`(options: [String])
        async throws
    {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let data = folder.appending(path: "data")
        let issuer = ["--issuer", "https://auth.example.com", "--mail", "none"]
        let server = try ChildProcess(
            ["serve", "--dev", "--port", "0"] + options
                + (options[0] == "--backend" ? [] : ["--data", data.path])
                + (options == ["--production"] ? issuer : []),
            program: TestEnvironment.program
        )
        #expect(await server.wait().status == 64)
        #expect(!FileManager.default.fileExists(atPath: data.path))
    }
}
