// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import NIOCore
import NIOEmbedded
import NIOWebSocket
import Testing
import WebSocketCases

@testable import FreshetNIO

/// The client's handlers of an open WebSocket, and the cases of RFC 6455 that a server sends.
@Suite(.timeLimit(.minutes(5))) struct `WebSocket client cases` {
    static let limits = WebSocketLimits(maximumMessage: 64 * 1024)
    static let table = WebSocketCase.all(CaseLimits(messageBytes: 64 * 1024, messageFragments: 1 << 16))
    static let cases = table.applying(WebSocketCaseExceptions.all)

    /// An open WebSocket on a channel without a network.
    private struct Client {
        let channel = EmbeddedChannel()
        let messages = WebSocketMessageHandler()

        init(_ limits: WebSocketLimits = `WebSocket client cases`.limits) throws {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(WebSocketFrameEncoder())
            try pipeline.addHandler(
                ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: HandshakeTarget.maximumFrame(limits)))
            )
            try pipeline.addHandlers(HandshakeTarget.messageHandlers(limits, messages))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        /// The next message, or the error that it fails with; `nil` if there is none yet.
        func next() -> Result<WebSocketMessage, WebSocketError>? {
            let promise = channel.embeddedEventLoop.makePromise(of: WebSocketMessage.self)
            var result: Result<WebSocketMessage, WebSocketError>?
            promise.futureResult.assumeIsolated().whenComplete {
                result = $0.mapError { $0 as? WebSocketError ?? .unsupported("\($0)") }
            }
            messages.receive(promise)
            return result
        }

        func written() throws -> [UInt8] {
            var bytes: [UInt8] = []
            while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
            return bytes
        }
    }

    @Test func `each exception of the WebSocket client names a case of the table and deviates from it`() {
        #expect(Self.cases != nil)
    }

    @Test(arguments: cases ?? []) func `a WebSocket client handles the frames of a server as the case table specifies`(
        entry: WebSocketCase
    ) throws {
        for delivery in CaseDelivery.allCases where entry.frames.count < 1000 || delivery != .pieces {
            let client = try Client()
            var transcript = CaseTranscript(ofServer: false)
            for (index, chunk) in entry.chunks(delivery, fromClient: false).enumerated() {
                // A channel that is closed takes no more.
                guard client.channel.isActive else { break }
                try client.channel.writeInbound(ByteBuffer(bytes: chunk))
                transcript.write(try client.written(), after: index)
            }
            var error: WebSocketError?
            while error == nil, let next = client.next() {
                switch next {
                case .success(.text(let text)): transcript.messages.append(.text(text))
                case .success(.data(let data)): transcript.messages.append(.binary(Array(data)))
                case .failure(let failure): error = failure
                }
            }
            #expect(transcript.differences(from: entry, isFramewise: delivery == .frames) == [], "\(delivery)")
            #expect(error == Self.error(entry), "\(delivery)")
            #expect(!client.channel.isActive)
            _ = try? client.channel.finish(acceptAlreadyClosed: true)
        }
    }

    /// The error after the last message.
    private static func error(_ entry: WebSocketCase) -> WebSocketError {
        switch entry.close {
        case .none: .closed(code: Int(CaseTranscript.lastCode))
        case .reply where entry.frames.contains { $0.opcode == 8 && $0.payload.isEmpty }: .closed(code: 1005)
        case .reply(let code): .closed(code: code.map(Int.init) ?? 1005)
        case .failure(1009, _): .messageTooLong
        case .failure: .lost
        }
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
    func `a client sends messages of any size in one masked frame`(size: Int) throws {
        let client = try Client()
        let text = String(repeating: "a", count: size)
        let bytes = [UInt8](repeating: 0xFF, count: size)
        var transcript = CaseTranscript(ofServer: false)
        for (message, expected) in [
            (WebSocketMessage.text(text), WebSocketCase.Message.text(text)), (.data(Data(bytes)), .binary(bytes)),
        ] {
            client.messages.send(message, client.channel.embeddedEventLoop.makePromise())
            #expect(transcript.nextMessage(try client.written()) == expected)
        }
        _ = try client.channel.finish(acceptAlreadyClosed: true)
    }

    @Test(arguments: [[], [0xFF], [UInt8](repeating: 0xFF, count: 8), [UInt8](repeating: 0, count: 7) + [1, 1]])
    func `an unsolicited pong does not complete a client's ping`(payload: [UInt8]) throws {
        let client = try Client()
        let promise = client.channel.embeddedEventLoop.makePromise(of: Void.self)
        var isAnswered = false
        promise.futureResult.assumeIsolated().whenSuccess { isAnswered = true }
        client.messages.ping(promise)
        try client.channel.writeInbound(ByteBuffer(bytes: CaseFrame(10, payload).bytes(fromClient: false)))
        #expect(!isAnswered)
        let pong = CaseFrame(10, [0, 0, 0, 0, 0, 0, 0, 1])
        try client.channel.writeInbound(ByteBuffer(bytes: pong.bytes(fromClient: false)))
        #expect(isAnswered)
        _ = try client.channel.finish(acceptAlreadyClosed: true)
    }

    @Test(arguments: [0, 1, 10, 124, 125]) func `a client's size limit applies to messages and not to pings`(limit: Int)
        throws
    {
        let client = try Client(WebSocketLimits(maximumMessage: limit))
        let longest = [UInt8](repeating: 0x61, count: limit)
        for frame in [CaseFrame(9, [UInt8](repeating: 0x70, count: 125)), CaseFrame(2, longest)] {
            try client.channel.writeInbound(ByteBuffer(bytes: frame.bytes(fromClient: false)))
        }
        var transcript = CaseTranscript(ofServer: false)
        let tooLong = CaseFrame(2, longest + [0x61])
        try client.channel.writeInbound(ByteBuffer(bytes: tooLong.bytes(fromClient: false)))
        transcript.write(try client.written(), after: 0)
        #expect(try client.next()?.get() == .data(Data(longest)))
        #expect(throws: WebSocketError.messageTooLong) { try client.next()?.get() }
        #expect(!client.channel.isActive)
        transcript.messages = [.binary(longest)]
        let entry = WebSocketCase(
            "9.2",
            "a message that is one byte too long",
            [tooLong],
            messages: transcript.messages,
            pongs: [[UInt8](repeating: 0x70, count: 125)],
            close: .failure(1009, at: 0)
        )
        #expect(transcript.differences(from: entry, isFramewise: true) == [])
    }

    @Test(arguments: [
        CaseFrame.close(1000), .close(1005), CaseFrame(8, [3]), CaseFrame(1, [0xFF]), CaseFrame(3), .rest("a"),
        .ping().with { $0.reserved = 4 }, .text("a").with { $0.hasWrongMasking = true }, CaseFrame(9, fin: false),
    ])
    func `a client that sent its close frame sends no other frame, and closes the connection`(last: CaseFrame) throws {
        let client = try Client()
        client.messages.close(code: 1001)
        for frame in [CaseFrame.ping("late"), .text("late"), last] {
            try client.channel.writeInbound(ByteBuffer(bytes: frame.bytes(fromClient: false)))
        }
        var transcript = CaseTranscript(ofServer: false)
        transcript.write(try client.written(), after: 0)
        #expect(try client.next()?.get() == .text("late"))
        #expect(throws: WebSocketError.lost) { try client.next()?.get() }
        #expect(!client.channel.isActive)
        transcript.messages = [.text("late")]
        let entry = WebSocketCase("7.1", "", [last], messages: transcript.messages, close: .reply(1001))
        #expect(transcript.differences(from: entry, isFramewise: true) == [])
    }
}
