// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore
import NIOEmbedded
import Testing

@testable import FreshetHTTP

@Suite struct `A client that pipelines` {
    private let limiter = HTTPPipeliningLimiter(RequestLimits())
    private let counter = ReadCounter()
    private let channel = EmbeddedChannel()

    /// Stands for decoder and guard: each line is a request.
    private final class Lines: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = String
        let limiter: HTTPPipeliningLimiter
        private var rest = ""

        init(_ limiter: HTTPPipeliningLimiter) { self.limiter = limiter }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            rest += String(buffer: unwrapInboundIn(data))
            while let end = rest.firstIndex(of: ";") {
                limiter.requestReceived()
                context.fireChannelRead(wrapInboundOut(String(rest[..<end])))
                rest = String(rest[rest.index(after: end)...])
            }
        }
    }

    private final class ReadCounter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        private(set) var count = 0

        func read(context: ChannelHandlerContext) { count += 1 }
    }

    init() throws {
        try channel.pipeline.syncOperations.addHandlers(counter, limiter, Lines(limiter))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func decoded() throws -> [String] {
        var requests: [String] = []
        while let request = try channel.readInbound(as: String.self) { requests.append(request) }
        return requests
    }

    @Test func `a pipelining client's requests are decoded in order, a limited number at a time, without loss`() throws
    {
        let all = (1...5000).map { "GET /\($0)" }
        try channel.writeInbound(ByteBuffer(string: all.map { $0 + ";" }.joined()))
        var seen = try decoded()
        var most = seen.count
        var unanswered = seen.count
        while unanswered > 0 {
            limiter.responseWritten()
            unanswered -= 1
            channel.embeddedEventLoop.run()
            let more = try decoded()
            seen += more
            unanswered += more.count
            most = max(most, unanswered)
        }
        #expect(seen == all)
        #expect(most < RequestLimits().pipelinedRequests + RequestLimits().pipelinedPiece / 8)
    }

    @Test func `a connection is not read while received bytes wait for decoding, and is read again afterwards`() throws
    {
        try channel.writeInbound(ByteBuffer(string: String(repeating: "GET /;", count: 1000)))
        let before = counter.count
        for _ in 1...5 { channel.pipeline.read() }
        #expect(counter.count == before)
        while case let count = try decoded().count, count > 0 {
            for _ in 1...count { limiter.responseWritten() }
            channel.embeddedEventLoop.run()
        }
        #expect(counter.count == before + 1)
        channel.pipeline.read()
        #expect(counter.count == before + 2)
    }

    @Test func `a connection's requests are decoded before its half-close is reported`() throws {
        let events = EventRecorder()
        try channel.pipeline.syncOperations.addHandler(events)
        try channel.writeInbound(ByteBuffer(string: String(repeating: "GET /;", count: 1000)))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(events.count == 0)
        while case let count = try decoded().count, count > 0 {
            for _ in 1...count { limiter.responseWritten() }
            channel.embeddedEventLoop.run()
        }
        #expect(events.count == 1)
    }

    private final class EventRecorder: ChannelInboundHandler {
        typealias InboundIn = String
        private(set) var count = 0

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { count += 1 }
    }
}
