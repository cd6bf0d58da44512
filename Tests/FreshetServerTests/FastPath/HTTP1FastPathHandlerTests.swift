// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetHTTP
@testable import FreshetServer

/// The HTTP/1 fast path handler on a connection of its own, with real sessions; a recorder replaces the other handlers.
@Suite(.timeLimit(.minutes(5)))
struct `The HTTP/1 fast path` {
    let server = ServerUnderTest()

    /// A connection, and when it was left to others.
    private final class Connection: Sendable {
        let channel = NIOAsyncTestingChannel()
        let fallback: EventLoopFuture<IdleState>

        init(_ parts: ServerParts, _ server: ServerUnderTest) async throws {
            let fastPath = FastPathResponder(
                sessions: parts.sessions,
                bearer: parts.bearer,
                bodyLimit: parts.configuration.limits.bodyBytes,
                envelope: RequestEnvelope(
                    trustsRequestID: false,
                    proxies: [],
                    admission: parts.admission,
                    metrics: RequestMetrics(parts.metrics),
                    log: server.log.logger
                )
            )
            let limits = parts.configuration.limits
            let channel = channel
            fallback = try await channel.testingEventLoop.executeInContext {
                let promise = channel.eventLoop.makePromise(of: IdleState.self)
                let handler = HTTP1FastPathHandler(fastPath, limits, fallback: promise) { $1 }
                try channel.pipeline.syncOperations.addHandler(handler)
                return promise.futureResult
            }
            try await channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1))
        }

        func write(_ text: String) async throws { try await channel.writeInbound(ByteBuffer(string: text)) }

        func answer() async throws -> String {
            String(buffer: try await channel.waitForOutboundWrite(as: ByteBuffer.self))
        }

        /// The bytes that were passed on to the ordinary handlers.
        func passed() async throws -> String? {
            try await channel.readInbound(as: ByteBuffer.self).map { String(buffer: $0) }
        }

        func advance(by amount: TimeAmount) async { await channel.testingEventLoop.advanceTime(by: amount) }

        func isClosed() async throws { try await channel.closeFuture.get() }
    }

    private func request(_ token: String, intent: Intent = .random()) -> String {
        let body = #"{"refresh_token":"\#(token)","intent":"\#(intent.text)"}"#
        return """
            POST /v1/refresh HTTP/1.1\r
            Host: x\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """
    }

    @Test
    func `the fast path responds to successive refreshes, and leaves the connection after the first other request`()
        async throws
    {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let connection = try await Connection(caller.parts, server)
            let intent = Intent.random()
            for _ in 1...3 {
                try await connection.write(request(grant.refreshToken, intent: intent))
                let answer = try await connection.answer()
                #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains(#""refresh_token":"frt_"#))
            }
            try await connection.write("GET /v1/me HTTP/1.1\r\n\r\n")
            #expect(try await connection.fallback.get().hasAnswered)
            #expect(try await connection.passed() == "GET /v1/me HTTP/1.1\r\n\r\n")
            let refresh = request(grant.refreshToken, intent: intent)
            try await connection.write(refresh)
            #expect(try await connection.passed() == refresh)
            try await connection.channel.close()
        }
    }

    @Test func `the fast path passes on bytes that it does not handle to the ordinary handlers unchanged`() async throws
    {
        try await server.run { caller in
            let grant = try await caller.signUp()
            for text in [
                request("frt_!"), request(grant.refreshToken) + "GET", "GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}",
            ] {
                let connection = try await Connection(caller.parts, server)
                try await connection.write(text)
                #expect(try await connection.passed() == text)
                #expect(try await !connection.fallback.get().hasAnswered)
                try await connection.channel.close()
            }
        }
    }

    @Test func `the fast path waits at most a second for the rest of a request`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let text = request(grant.refreshToken)
            let connection = try await Connection(caller.parts, server)
            try await connection.write(String(text.prefix(100)))
            await connection.advance(by: .milliseconds(900))
            #expect(try await connection.passed() == nil)
            try await connection.write(String(text.dropFirst(100)))
            #expect(try await connection.answer().hasPrefix("HTTP/1.1 200 OK\r\n"))
            try await connection.write("POST /v1/ref")
            await connection.advance(by: .seconds(1))
            #expect(try await connection.fallback.get().hasAnswered)
            #expect(try await connection.passed() == "POST /v1/ref")
            try await connection.channel.close()
        }
    }

    @Test func `the fast path closes an idle connection, and hands over a connection without any request`() async throws
    {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let limits = caller.parts.configuration.limits
            let silent = try await Connection(caller.parts, server)
            let start = silent.channel.testingEventLoop.now
            await silent.advance(by: .milliseconds(limits.headTimeout.milliseconds))
            #expect(try await silent.fallback.get() == IdleState(since: start, hasAnswered: false))
            try await silent.channel.close()

            let idle = try await Connection(caller.parts, server)
            try await idle.write(request(grant.refreshToken))
            _ = try await idle.answer()
            await idle.advance(by: .milliseconds(limits.idleTimeout.milliseconds))
            try await idle.isClosed()
            await #expect(throws: ChannelError.alreadyClosed) { try await idle.fallback.get() }
        }
    }

    @Test func `the fast path passes on a partial request, and then the end of the client's input`() async throws {
        try await server.run { caller in
            let connection = try await Connection(caller.parts, server)
            try await connection.write("POST /v1/ref")
            let channel = connection.channel
            let (heard, tell) = AsyncStream.makeStream(of: String.self)
            try await channel.testingEventLoop.executeInContext {
                try channel.pipeline.syncOperations.addHandler(Listener { tell.yield($0) })
                channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
            var told = heard.makeAsyncIterator()
            for event in ["POST /v1/ref", "complete", "inputClosed"] { #expect(await told.next() == event) }
            #expect(try await !connection.fallback.get().hasAnswered)
            try await channel.close()
        }
    }

    @Test func `bytes and events that arrive during a refresh are passed on after its response`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let connection = try await Connection(caller.parts, server)
            let channel = connection.channel
            let (heard, tell) = AsyncStream.makeStream(of: String.self)
            // The writer stands still until everything has come.
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let gate = DispatchSemaphore(value: 0)
            async let writer: Void = caller.database.durably { _ in
                begin.yield()
                gate.wait()
            }
            for await _ in begun { break }
            try await connection.write(request(grant.refreshToken))
            try await connection.write("GET / HTTP/1.1\r\n\r\n")
            try await channel.testingEventLoop.executeInContext {
                try channel.pipeline.syncOperations.addHandler(Listener { tell.yield($0) })
                channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
                channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
            gate.signal()
            try await writer
            #expect(try await connection.answer().hasPrefix("HTTP/1.1 200 OK\r\n"))
            var told = heard.makeAsyncIterator()
            for event in ["GET / HTTP/1.1\r\n\r\n", "complete", "ChannelShouldQuiesceEvent()", "inputClosed"] {
                #expect(await told.next() == event)
            }
            #expect(try await connection.fallback.get().hasAnswered)
            try await channel.close()
        }
    }

    @Test func `a connection whose input ended closes after its last response is written`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let connection = try await Connection(caller.parts, server)
            let channel = connection.channel
            try await connection.write(request(grant.refreshToken))
            try await channel.testingEventLoop.executeInContext {
                channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
            #expect(try await connection.answer().hasPrefix("HTTP/1.1 200 OK\r\n"))
            try await connection.isClosed()
        }
    }

    /// Reports what reaches the handlers behind the fast path.
    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let tell: (String) -> Void

        init(_ tell: @escaping (String) -> Void) { self.tell = tell }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { tell(String(buffer: unwrapInboundIn(data))) }

        func channelReadComplete(context: ChannelHandlerContext) { tell("complete") }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { tell("\(event)") }
    }

    @Test func `an idle connection closes when the server stops or the client's input ends`() async throws {
        try await server.run { caller in
            for event in [ChannelShouldQuiesceEvent() as any Sendable, ChannelEvent.inputClosed] {
                let connection = try await Connection(caller.parts, server)
                let channel = connection.channel
                try await channel.testingEventLoop.executeInContext {
                    channel.pipeline.fireUserInboundEventTriggered(event)
                }
                try await connection.isClosed()
                await #expect(throws: ChannelError.alreadyClosed) { try await connection.fallback.get() }
            }
        }
    }
}
