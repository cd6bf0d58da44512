// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import NIOCore
import NIOEmbedded
import ServerFixtures
import Testing
import WebSocketCases

@testable import FreshetHTTP
@testable import FreshetIdentity

/// The server's handlers of an open socket, and the cases of RFC 6455 that a client sends.
///
/// The client is authenticated by its handshake.
@Suite(.timeLimit(.minutes(5))) struct `WebSocket server cases` {
    static let table = WebSocketCase.all(
        CaseLimits(messageBytes: SocketLimits().messageBytes, messageFragments: SocketLimits().messageFragments)
    )
    static let cases = table.applying(SocketCaseExceptions.all)

    private struct Server {
        let channel: NIOAsyncTestingChannel
        let messages: AsyncStream<SocketMessage>
        let endMessages: @Sendable () -> Void

        init() async throws {
            let (messages, received) = AsyncStream.makeStream(of: SocketMessage.self)
            let claims = AccessClaims(
                user: UUID(),
                session: .random(),
                issuedAt: Timestamp(milliseconds: 0),
                expiresAt: Timestamp(milliseconds: 3_600_000)
            )
            let hub = SocketHub(SocketLimits())
            let endpoint = SocketEndpoint(
                policy: try .native(),
                bearer: BearerAuthentication(
                    verifier: try AccessTokenVerifier(keys: [], issuer: "", audience: ""),
                    ended: RevokedSessionCache(maximumTokenLifetime: .seconds(1)),
                    clock: { Timestamp(milliseconds: 0) }
                ),
                isAlive: { _ in true },
                hub: hub,
                origins: [],
                listener: { message, _ in received.yield(message) },
                log: CapturedLog().logger
            )
            let place = try hub.take(claims, at: nil)
            self.messages = messages
            endMessages = { received.finish() }
            channel = try await NIOAsyncTestingChannel { channel in
                let pipeline = channel.pipeline.syncOperations
                let handlers = SocketConnection.frameHandlers(hub.limits)
                try pipeline.addHandlers([handlers.encoder, handlers.decoder])
                try pipeline.addHandler(SocketConnection(endpoint, place, claims))
            }
            try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
            var ready = CaseTranscript(ofServer: true)
            // The message `ready`.
            while try await ready.nextMessage(
                Array(channel.waitForOutboundWrite(as: ByteBuffer.self).readableBytesView)
            ) == nil {}
        }

        func written() async throws -> [UInt8] {
            var bytes: [UInt8] = []
            while let buffer = try await channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
            return bytes
        }
    }

    @Test func `the server's exceptions from the WebSocket case table name existing cases and differ from them`() {
        #expect(Self.cases != nil)
    }

    @Test(arguments: (cases ?? []) + SocketRateCases.all)
    func `a server handles the frames of a client as the WebSocket case table specifies`(
        entry: WebSocketCase
    ) async throws {
        for delivery in CaseDelivery.allCases {
            let server = try await Server()
            var transcript = CaseTranscript(ofServer: true)
            let chunks = entry.chunks(delivery, fromClient: true)
            for (index, chunk) in chunks.enumerated() {
                // A channel that is closed takes no more.
                guard server.channel.isActive else { break }
                _ = try? await server.channel.writeInbound(ByteBuffer(bytes: chunk))
                transcript.write(try await server.written(), after: index)
            }
            // The listener may still process messages that precede the close frame.
            while !transcript.isClosed {
                let buffer = try await server.channel.waitForOutboundWrite(as: ByteBuffer.self)
                transcript.write(Array(buffer.readableBytesView), after: chunks.count - 1)
            }
            transcript.write(try await server.written(), after: chunks.count - 1)
            // A failure does not wait for the listener; the other answers come after it.
            var messages = server.messages.makeAsyncIterator()
            if case .failure = entry.close {
                while transcript.messages.count < entry.messages.count, let next = await messages.next() {
                    transcript.messages.append(next.caseMessage)
                }
            }
            server.endMessages()
            while let next = await messages.next() { transcript.messages.append(next.caseMessage) }
            #expect(transcript.differences(from: entry, isFramewise: delivery == .frames) == [], "\(delivery)")
            _ = try? await server.channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
    func `a server sends messages of any size in one frame without a mask`(size: Int) async throws {
        let server = try await Server()
        let text = String(repeating: "a", count: size)
        let bytes = [UInt8](repeating: 0xFF, count: size)
        var transcript = CaseTranscript(ofServer: true)
        let socket = OpenSocket(server.channel, limit: 1 << 20)
        for message in [SocketMessage.text(text), .binary(Data(bytes))] {
            try await #require(socket.send(message)).get()
            #expect(transcript.nextMessage(try await server.written()) == message.caseMessage)
        }
        _ = try await server.channel.finish(acceptAlreadyClosed: true)
    }
}

extension SocketMessage {
    fileprivate var caseMessage: WebSocketCase.Message {
        switch self {
        case .text(let text): .text(text)
        case .binary(let data): .binary(Array(data))
        }
    }
}
