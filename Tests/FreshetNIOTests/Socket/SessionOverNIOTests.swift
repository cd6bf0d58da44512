// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetTesting
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Testing

@testable import FreshetNIO

/// A session's socket over a real connection.
@Suite(.timeLimit(.minutes(5))) struct `Session socket over NIO` {
    let backend = TestBackend()

    func socket(_ server: WebSocketServer, _ path: String) async throws -> SessionSocket {
        let base = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
        let session = try AuthSession(baseURL: base, store: InMemoryStore(), transport: backend)
        try await session.signIn(.password(email: "ada@example.com", password: "correct horse battery"))
        var configuration = SocketConfiguration()
        configuration.backoff = RetryBackoff(first: .milliseconds(1), limit: .milliseconds(10))
        return try session.socket(
            base.appending(path: path),
            configuration: configuration,
            transport: NIOWebSocketTransport()
        )
    }

    @Test func `a session socket continues in order after an expired token and a lost connection`() async throws {
        let server = try await WebSocketServer.start()
        let socket = try await socket(server, "raw")
        let consumer = Task {
            await socket.messages.prefix(6).reduce(into: [String]()) { $0.append("\($1.connection) \($1.text ?? "")") }
        }
        let first = try #require(await server.connection())
        for text in ["a", "b"] { try await first.sendFrame(.text, text) }
        try await first.sendClose(4401)
        let second = try #require(await server.connection())
        for text in ["c", "d"] { try await second.sendFrame(.text, text) }
        try await second.close()
        let third = try #require(await server.connection())
        for text in ["e", "f"] { try await third.sendFrame(.text, text) }
        #expect(await consumer.value == ["1 a", "1 b", "2 c", "2 d", "3 e", "3 f"])
        var heads = server.heads.makeAsyncIterator()
        var tokens: [String] = []
        for _ in 0..<3 { tokens.append(await heads.next()?.headers["Authorization"].first ?? "") }
        #expect(tokens == ["Bearer access-1", "Bearer access-2", "Bearer access-2"])
        #expect(backend.counts.refreshes == 1)
        await socket.close()
        await server.stop()
    }

    @Test func `a session socket reconnects after a restart of the server`() async throws {
        let server = try await WebSocketServer.start()
        let socket = try await socket(server, "echo")
        await socket.connect()
        let first = try #require(await server.connection())
        try await socket.send("one")
        #expect(await socket.messages.first { _ in true }?.text == "one")
        await server.stop()
        try await first.close()
        for await state in socket.states { if case .waiting(_, .unreachable) = state { break } }
        let again = try await WebSocketServer.start(port: server.port)
        _ = await again.connection()
        try await socket.send("two")
        #expect(await socket.messages.first { _ in true }?.text == "two")
        await socket.close()
        await again.stop()
    }
}
