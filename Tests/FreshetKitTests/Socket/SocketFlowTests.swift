// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

/// Both directions: bounded, in order, and nothing lost that need not be.
@Suite(.timeLimit(.minutes(5))) struct `Socket flow` {
    @Test func `a slow consumer stops the reading from the connection and still receives every message`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket { $0.incomingLimit = 4 }
        await socket.connect()
        let connection = try await bench.transport.next().accept()
        await socket.untilOpen()
        for number in 0..<100 { connection.deliver("\(number)") }
        await connection.waitUntilUnread(96)
        // A round trip later it is still so.
        #expect(await socket.driver.hasRoom == false)
        #expect(connection.unread == 96)
        let texts = await socket.messages.prefix(100).reduce(into: [String?]()) { $0.append($1.text) }
        #expect(texts == (0..<100).map(String.init))
    }

    @Test func `a missing pong does not end the connection while a slow consumer stops the reading`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket {
            $0.incomingLimit = 1
            $0.pingInterval = .seconds(25)
            $0.pongDeadline = .seconds(7)
        }
        await socket.connect()
        let connection = try await bench.transport.next().accept()
        await socket.untilOpen()
        connection.answersPings = false
        await bench.clock.waitForSleep(for: .seconds(25))
        bench.clock.advance(by: .seconds(25))
        await bench.clock.waitForSleep(for: .seconds(7))
        for number in 0..<3 { connection.deliver("\(number)") }
        await connection.waitUntilUnread(2)
        bench.clock.advance(by: .seconds(7))
        await bench.clock.waitForSleep(for: .seconds(25))
        #expect(socket.state == .open(connection: 1))
    }

    @Test func `cancelling a consumer leaves the socket open and loses no messages`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        let consumer = Task { for await _ in socket.messages {} }
        let connection = try await bench.transport.next().accept()
        await socket.untilOpen()
        consumer.cancel()
        await consumer.value
        #expect(socket.state == .open(connection: 1))
        connection.deliver("later")
        #expect(await socket.messages.first { _ in true }?.text == "later")
    }

    @Test func `a second consumer receives the messages, and the first consumer's iteration ends`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        async let first = socket.messages.reduce(0) { count, _ in count + 1 }
        let connection = try await bench.transport.next().accept()
        await socket.untilOpen()
        async let second = socket.messages.first { _ in true }
        #expect(await first == 0)
        connection.deliver("x")
        #expect(await second?.text == "x")
    }

    /// A view that appears again cancels the consumer before, which may begin after the new one.
    @Test func `a consumer that is cancelled before it starts does not replace another consumer`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        async let first = socket.messages.first { _ in true }
        let connection = try await bench.transport.next().accept()
        await socket.untilOpen()
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            return await socket.messages.first { _ in true }
        }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        connection.deliver("x")
        #expect(await first?.text == "x")
    }

    @Test func `messages received before the final close are delivered before the iteration ends`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let connection = try await bench.transport.next().accept()
        await socket.untilOpen()
        for text in ["a", "b"] { connection.deliver(text) }
        let (consumed, tells) = AsyncStream.makeStream(of: Void.self)
        let consumer = Task {
            var messages = socket.messages.makeAsyncIterator()
            let first = await messages.next()?.text
            tells.yield()
            await socket.until { if case .closed = $0 { true } else { false } }
            return [first, await messages.next()?.text, await messages.next()?.text]
        }
        for await _ in consumed { break }
        connection.close(fromServer: 3003)
        #expect(await consumer.value == ["a", "b", nil])
        #expect(socket.state == .closed(.forbidden(code: 3003)))
    }

    @Test func `queued messages wait for the connection and are sent in order`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let handshake = try await bench.transport.next()
        var sending: [Task<Void, any Error>] = []
        for number in 1...3 {
            sending.append(await socket.enqueue("\(number)"))
        }
        let connection = handshake.accept()
        for number in 1...3 { #expect(try await connection.nextSent().text == "\(number)") }
        for task in sending { try await task.value }
    }

    @Test func `a message above the limit of queued messages is refused`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket { $0.outgoingLimit = 1 }
        await socket.connect()
        let handshake = try await bench.transport.next()
        let waiting = await socket.enqueue("1")
        await #expect(throws: SocketError.bufferFull) { try await socket.send("2") }
        handshake.accept()
        try await waiting.value
    }

    @Test func `a socket that does not queue messages refuses to send without a connection`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket { $0.sendsWaitForConnection = false }
        await #expect(throws: SocketError.notConnected) { try await socket.send("1") }
        await socket.connect()
        await #expect(throws: SocketError.notConnected) { try await socket.send("2") }
        let connection = try await bench.transport.next().accept()
        await socket.untilOpen()
        try await socket.send("3")
        #expect(try await connection.nextSent().text == "3")
    }

    @Test func `a send returns only after the connection has accepted the message`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let connection = try await bench.transport.next().accept()
        await socket.untilOpen()
        connection.takesMessages = false
        let isDone = Locked(false)
        let sending = Task {
            try await socket.send("1")
            isDone.withLock { $0 = true }
        }
        try await connection.waitUntilSending()
        #expect(isDone.withLock { $0 } == false)
        connection.takesMessages = true
        try await sending.value
    }

    @Test func `a message interrupted by a lost connection is reported and not repeated`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let first = try await bench.transport.next().accept()
        await socket.untilOpen()
        first.takesMessages = false
        let lost = Task { try await socket.send("1") }
        try await first.waitUntilSending()
        let kept = await socket.enqueue("2")
        first.lose()
        await #expect(throws: SocketError.interrupted) { try await lost.value }
        _ = await socket.untilWaiting()
        bench.clock.advance(by: .seconds(1))
        let second = try await bench.transport.next().accept()
        #expect(try await second.nextSent().text == "2")
        try await kept.value
    }

    @Test func `a cancelled message is not sent`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let handshake = try await bench.transport.next()
        let cancelled = await socket.enqueue("1")
        cancelled.cancel()
        await #expect(throws: SocketError.cancelled) { try await cancelled.value }
        let connection = handshake.accept()
        try await socket.send("2")
        #expect(try await connection.nextSent().text == "2")
    }

    @Test func `closing a socket ends its iteration and sends, and a later connect call reconnects`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        async let count = socket.messages.reduce(0) { count, _ in count + 1 }
        let first = try await bench.transport.next().accept()
        await socket.untilOpen()
        first.takesMessages = false
        let sending = Task { try await socket.send("1") }
        try await first.waitUntilSending()
        await socket.close()
        #expect(await count == 0)
        #expect(socket.state == .closed(.requested))
        await #expect(throws: SocketError.interrupted) { try await sending.value }
        await #expect(throws: SocketError.closed(.requested)) { try await socket.send("2") }
        await socket.connect()
        try await bench.transport.next().accept()
        await socket.untilOpen(2)
        #expect(bench.transport.maximumOpenConnections == 1)
    }

    @Test func `a socket that is closed during its handshake cancels the handshake`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let handshake = try await bench.transport.next()
        await socket.close()
        await socket.connect()
        let second = try await bench.transport.next()
        #expect(handshake.isCancelled)
        second.accept()
        await socket.untilOpen()
        #expect(bench.transport.maximumOpenConnections == 1)
    }

    @Test func `a socket disconnects in the background and reconnects with a refreshed token`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let first = try await bench.transport.next().accept()
        await socket.untilOpen()
        bench.session.enterBackground()
        try await first.waitUntilEnded()
        #expect(first.closeCode == 1001)
        bench.clock.advance(by: .seconds(700))
        bench.session.enterForeground()
        #expect(try await bench.transport.next().bearer == "access-2")
    }

    @Test func `a socket that is created in the background connects when the app returns`() async throws {
        let bench = try await SocketFixture()
        await bench.session.sockets.suspend()
        let socket = try bench.socket()
        await socket.connect()
        #expect(await socket.untilWaiting() == .suspended)
        await bench.session.sockets.resume()
        try await bench.transport.next().accept()
        await socket.untilOpen()
    }

    @Test func `a network change causes an immediate ping over the open connection`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket { $0.pongDeadline = .seconds(7) }
        await socket.connect()
        let connection = try await bench.transport.next().accept()
        await socket.untilOpen()
        connection.answersPings = false
        await bench.session.sockets.networkChanged(isUp: true)
        await bench.clock.waitForSleep(for: .seconds(7))
        bench.clock.advance(by: .seconds(7))
        #expect(await socket.untilWaiting() == .pongTimeout)
    }
}

extension SessionSocket {
    /// Begins to send, and returns when the message waits for its turn.
    func enqueue(_ text: String) async -> Task<Void, any Error> {
        let (queued, tells) = AsyncStream.makeStream(of: Void.self)
        await driver.setQueueObserver { tells.yield() }
        let sending = Task { try await self.send(text) }
        for await _ in queued { break }
        return sending
    }
}

extension SocketDriver {
    func setQueueObserver(_ onQueue: @escaping @Sendable () -> Void) { self.onQueue = onQueue }

    var hasRoom: Bool { inbox.hasRoom }
}
