// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import ServerFixtures
import Testing

@testable import FreshetHTTP

/// The deadlines of a connection, on a clock that the test moves.
@Suite struct `A connection's guard` {
    let log = CapturedLog()
    let limits = RequestLimits()

    private func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: RequestTimeoutHandler(limits, log: log.logger))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private let request = HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/v1/refresh")

    /// Moves the clock to just before `limit`, checks that nothing happened, and then to it.
    private func pass(_ limit: Duration, _ channel: EmbeddedChannel) throws {
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(limit.milliseconds - 1))
        #expect(channel.isActive)
        #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    }

    /// Reads an error answer off the wire.
    private func refusal(_ channel: EmbeddedChannel) throws -> (status: Int, body: ErrorBody) {
        guard case .head(let head) = try #require(try channel.readOutbound(as: HTTPResponsePart.self)),
            case .body(let body) = try #require(try channel.readOutbound(as: HTTPResponsePart.self))
        else { throw ChannelError.inappropriateOperationForState }
        #expect(head.headerFields[.connection] == "close")
        return (head.status.code, try JSONDecoder().decode(ErrorBody.self, from: Data(body.readableBytesView)))
    }

    @Test func `a connection that sends no request head gets a 408 response and is closed`() throws {
        let channel = try connection()
        try pass(limits.headTimeout, channel)
        let refusal = try refusal(channel)
        #expect(refusal.status == 408)
        #expect(refusal.body.error == "request_timeout")
        #expect(log.lines.contains { $0["request_id"] == refusal.body.requestID })
        #expect(!channel.isActive)
    }

    @Test func `a request body that is incomplete at its deadline is refused with 408, even while bytes arrive`() throws
    {
        let channel = try connection()
        try channel.writeInbound(HTTPRequestPart.head(request))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(limits.bodyTimeout.milliseconds - 1))
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "{")))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(try refusal(channel).status == 408)
        #expect(!channel.isActive)
    }

    @Test func `a body over the size limit is read slowly, and the next request immediately`() throws {
        let (reads, channel) = (ReadCounter(), try connection())
        try channel.pipeline.syncOperations.addHandler(reads, position: .first)
        try channel.writeInbound(HTTPRequestPart.head(request))
        channel.pipeline.read()
        #expect(reads.count == 1)
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: limits.bodyBytes + 1)))
        for _ in 1...3 { channel.pipeline.read() }
        #expect(reads.count == 1)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(20))
        #expect(reads.count == 2)
        channel.pipeline.read()
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.pipeline.read()
        #expect(reads.count == 3)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(20))
        #expect(reads.count == 4)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func `processing a request has no time limit, and an idle connection is closed without a response`() throws {
        let channel = try connection()
        try channel.writeInbound(HTTPRequestPart.head(request))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        for _ in 1...2 { #expect(try channel.readOutbound(as: HTTPResponsePart.self) != nil) }

        try pass(limits.idleTimeout, channel)
        #expect(!channel.isActive)
        #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
    }

    @Test func `a timeout of a pipelined request closes the connection after the earlier response, without a refusal`()
        throws
    {
        let channel = try connection()
        try channel.writeInbound(HTTPRequestPart.head(request))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try channel.writeInbound(HTTPRequestPart.head(request))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(limits.bodyTimeout.milliseconds))
        #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
        #expect(channel.isActive)
        while try channel.readInbound(as: HTTPRequestPart.self) != nil {}
        try channel.writeInbound(HTTPRequestPart.end(nil))
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        #expect(channel.isActive)
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        for _ in 1...2 { #expect(try channel.readOutbound(as: HTTPResponsePart.self) != nil) }
        #expect(!channel.isActive)
    }

    @Test func `bytes after a connection's last request do not prevent its response, and the connection closes`() throws
    {
        let channel = try connection()
        try channel.writeInbound(HTTPRequestPart.head(request))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.pipeline.fireErrorCaught(HTTPParserError.closedConnection)
        #expect(channel.isActive)
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        for _ in 1...2 { #expect(try channel.readOutbound(as: HTTPResponsePart.self) != nil) }
        #expect(!channel.isActive)
    }

    @Test func `an idle connection is closed even if its last response preceded the end of the request`() throws {
        let channel = try connection()
        try channel.writeInbound(HTTPRequestPart.head(request))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .contentTooLarge)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
        for _ in 1...2 { #expect(try channel.readOutbound(as: HTTPResponsePart.self) != nil) }
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try pass(limits.idleTimeout, channel)
        #expect(!channel.isActive)
    }

    @Test func `body parts after the one that exceeds the size limit are dropped, and the next request is passed on`()
        throws
    {
        let channel = try connection()
        let part = ByteBuffer(repeating: 0x20, count: limits.bodyBytes / 2 + 1)
        for _ in 1...2 {
            try channel.writeInbound(HTTPRequestPart.head(request))
            for _ in 1...100 { try channel.writeInbound(HTTPRequestPart.body(part)) }
            try channel.writeInbound(HTTPRequestPart.end(nil))
            var came: [HTTPRequestPart] = []
            while let part = try channel.readInbound(as: HTTPRequestPart.self) { came.append(part) }
            #expect(came == [.head(request), .body(part), .body(part), .end(nil)])
        }
    }

    /// Holds what is written, as a client that reads nothing does.
    private final class Withholding: ChannelOutboundHandler {
        typealias OutboundIn = HTTPResponsePart
        private(set) var promises: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise { promises.append(promise) }
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
            promises = []
            context.close(mode: mode, promise: promise)
        }

        func take() { promises.removeFirst().succeed() }
    }

    @Test func `a client that reads nothing of its response is disconnected, and a client that reads slowly is not`()
        throws
    {
        let (withholding, channel) = (Withholding(), try connection())
        try channel.pipeline.syncOperations.addHandler(withholding, position: .first)
        try channel.writeInbound(HTTPRequestPart.head(request))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        channel.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
        channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 0x20, count: 80 * 1024)), promise: nil)
        channel.write(HTTPResponsePart.end(nil), promise: nil)
        #expect(withholding.promises.count == 6)
        for _ in 1...5 {
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(limits.writeTimeout.milliseconds - 1))
            #expect(channel.isActive)
            withholding.take()
        }
        try pass(limits.writeTimeout, channel)
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
    }

    @Test func `a request head over the size limit is refused with 431 and not passed on`() throws {
        let channel = try connection()
        var large = request
        large.headerFields[.userAgent] = String(repeating: "x", count: limits.headerBytes)
        try channel.writeInbound(HTTPRequestPart.head(large))
        #expect(try refusal(channel).status == 431)
        #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
    }
}

/// Counts how often the connection is asked to read on.
private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart

    private(set) var count = 0

    func read(context: ChannelHandlerContext) { count += 1 }
}
