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

        init() throws {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(WebSocketFrameEncoder())
            try pipeline.addHandler(
                ByteToMessageHandler(
                    WebSocketFrameDecoder(maxFrameSize: HandshakeTarget.maximumFrame(`WebSocket client cases`.limits))
                )
            )
            try pipeline.addHandlers(HandshakeTarget.messageHandlers(`WebSocket client cases`.limits, messages))
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

    @Test func `the client's exceptions name deviations from the table`() { #expect(Self.cases != nil) }

    @Test(arguments: cases ?? []) func `a client treats what a server sends as the table says`(
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
    func `an unsolicited pong does not answer a client's ping`(payload: [UInt8]) throws {
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
}
