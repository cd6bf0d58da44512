// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOCore
import NIOEmbedded
import NIOWebSocket

@testable import FreshetHTTP
@testable import FreshetKit
@testable import FreshetNIO

extension FuzzTarget {
    private static let limit = WebSocketReference.messageLimit
    private static let fragments = WebSocketReference.fragmentLimit

    // MARK: The server

    /// Compares the messages that the server reads, in one piece and in several, with those that RFC 6455 defines.
    static func checkWebSocketServer(_ input: [UInt8]) throws -> Bool {
        let whole = serverEvents([input])
        let inPieces = serverEvents(pieces(of: input))
        try require(inPieces == whole, "\(inPieces) in pieces; \(whole)")
        let reference = WebSocketReference(isServer: true).events(of: input)
        try require(whole.map(withoutFault) == reference.map(withoutFault), "\(whole) instead of \(reference)")
        return whole.contains { if case .fault = $0 { false } else { true } }
    }

    private static func serverEvents(_ pieces: [[UInt8]]) -> [WebSocketReference.Event] {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: limit)))
        var limits = SocketLimits()
        (limits.messageBytes, limits.messageFragments) = (limit, fragments)
        var aggregator = WebSocketMessageAggregator(limits)
        var events: [WebSocketReference.Event] = []
        var isOpen = true
        func take() {
            while isOpen, let frame = try? channel.readInbound(as: WebSocketFrame.self) {
                do throws(SocketCloseStatus) {
                    switch try aggregator.take(frame) {
                    case .nothing, .pong: break
                    case .message(.text(let text)): events.append(.text(text))
                    case .message(.binary(let data)): events.append(.binary(Array(data)))
                    case .ping(let data): events.append(.ping(Array(data.readableBytesView)))
                    case .close(let code):
                        events.append(.close(code.map(Int.init)))
                        isOpen = false
                    }
                } catch {
                    events.append(.fault(Int(error.code)))
                    isOpen = false
                }
            }
        }
        for piece in pieces where isOpen {
            do {
                try channel.writeInbound(ByteBuffer(bytes: piece))
                take()
            } catch {
                take()
                if isOpen, case NIOWebSocketError.invalidFrameLength = error {
                    events.append(.fault(1009))
                } else if isOpen {
                    events.append(.fault(1002))
                }
                isOpen = false
            }
        }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return events
    }

    // MARK: The client

    /// The messages that the client delivers to the app, and the frames that it sends to the server.
    private struct Exchange: Equatable {
        var messages: [WebSocketReference.Event] = []
        var sent: [WebSocketReference.Event] = []
    }

    /// Compares what the client reads and answers, in one piece and in several, with what RFC 6455 defines.
    static func checkWebSocketClient(_ input: [UInt8]) throws -> Bool {
        let whole = try clientExchange([input])
        let inPieces = try clientExchange(pieces(of: input))
        try require(inPieces == whole, "\(inPieces) in pieces; \(whole)")
        var reference = Exchange()
        for event in WebSocketReference(isServer: false).events(of: input) {
            switch event {
            case .text, .binary: reference.messages.append(event)
            case .ping: reference.sent.append(event)
            case .close(let code): reference.sent.append(.close(code ?? 1000))
            case .fault(let code): reference.sent.append(.close(code))
            }
        }
        let isSame =
            whole.messages == reference.messages
            && whole.sent.map(withoutFault) == reference.sent.map(withoutFault)
        try require(isSame, "\(whole) instead of \(reference)")
        return !whole.messages.isEmpty
    }

    /// Returns an event without the rule that was broken.
    ///
    /// A frame may break several, and the first one found decides the code; `WebSocketCases` checks the codes.
    private static func withoutFault(_ event: WebSocketReference.Event) -> WebSocketReference.Event {
        switch event {
        case .fault: .fault(1002)
        case .close(let code?) where [1007, 1009].contains(code): .close(1002)
        default: event
        }
    }

    private static func clientExchange(_ pieces: [[UInt8]]) throws -> Exchange {
        let handler = WebSocketMessageHandler()
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(
            ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: limit)),
            WebSocketFrameValidationHandler(WebSocketLimits(maximumMessage: limit)),
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0,
                maxAccumulatedFrameCount: 1 << 16,
                maxAccumulatedFrameSize: limit
            ),
            handler
        )
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/a")).wait()
        var exchange = Exchange()
        // Errors reach the handler, too, which answers them.
        for piece in pieces where channel.isActive { _ = try? channel.writeInbound(ByteBuffer(bytes: piece)) }
        while let frame = try channel.readOutbound(as: WebSocketFrame.self) {
            switch frame.opcode {
            case .pong: exchange.sent.append(.ping(Array(frame.data.readableBytesView)))
            case .connectionClose:
                let code = frame.data.getInteger(at: frame.data.readerIndex, as: UInt16.self).map(Int.init)
                exchange.sent.append(.close(code))
            default: throw FuzzFinding(description: "the client sends \(frame.opcode)")
            }
        }
        while let message = received(handler, channel) { exchange.messages.append(message) }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return exchange
    }

    private static func received(_ handler: WebSocketMessageHandler, _ channel: EmbeddedChannel)
        -> WebSocketReference.Event?
    {
        let result = NIOLoopBoundBox<WebSocketMessage?>(nil, eventLoop: channel.eventLoop)
        let promise = channel.eventLoop.makePromise(of: WebSocketMessage.self)
        promise.futureResult.whenSuccess { result.value = $0 }
        handler.receive(promise)
        switch result.value {
        case .text(let text): return .text(text)
        case .data(let data): return .binary(Array(data))
        case nil: return nil
        }
    }
}
