// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session's socket from outside: tokens, connections and ends.
@Suite(.timeLimit(.minutes(5))) struct `Session socket` {
    @Test func `a socket opens at the first iteration of its messages and delivers them in order`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        #expect(socket.state == .idle)
        async let texts = socket.messages.prefix(3).reduce(into: [String?]()) { $0.append($1.text) }
        let handshake = try await bench.transport.next()
        #expect(handshake.request.url?.absoluteString == "wss://api.example.com/feed")
        #expect(handshake.bearer == "access-1")
        let connection = handshake.accept()
        for text in ["a", "b", "c"] { connection.deliver(text) }
        #expect(await texts == ["a", "b", "c"])
        #expect(socket.state == .open(connection: 1))
    }

    /// The socket came back while the refresh was still under way, or without one.
    @Test func `a socket reconnects only after its expired token has been refreshed`() async throws {
        let bench = try await SocketFixture()
        let transport = ManualTransport()
        let store = InMemoryStore()
        try await bench.bench.session(store: store).signIn(.test)
        let session = try bench.bench.session(store: store, transport: transport)
        var configuration = SocketConfiguration()
        configuration.pingInterval = nil
        // The socket wakes after the token's end: one that wakes earlier may read the clock before it is at its new time.
        configuration.backoff = RetryBackoff(first: .seconds(601), limit: .seconds(601))
        let socket = try session.socket(
            Fixtures.url("wss://api.example.com/feed"),
            configuration: configuration,
            transport: bench.transport
        )
        await socket.connect()
        let first = try await bench.transport.next()
        let stale = try #require(first.bearer)
        first.accept().lose()
        // The token ends while the socket waits.
        _ = await socket.untilWaiting()
        bench.clock.advance(by: .seconds(601))
        let refresh = try await transport.next(to: "/v1/refresh")
        #expect(socket.state == .waitingForToken)
        #expect(bench.transport.unclaimed.isEmpty)
        refresh.answer(from: bench.backend)
        let second = try await bench.transport.next()
        #expect(second.bearer == session.status.generation.map { "access-\($0 + 2)" })
        #expect(second.bearer != stale)
    }

    @Test func `a session removes released sockets from its list of sockets`() async throws {
        let bench = try await SocketFixture()
        var number = 0
        // A released socket closes in a task of its own, so the number of those before it falls a little later.
        repeat {
            number += 1
            let url = try Fixtures.url("wss://api.example.com/feed?after=\(number)")
            _ = try bench.session.socket(url, configuration: .quiet, transport: bench.transport)
            await Task.yield()
        } while number < 20 || bench.session.sockets.count > 1
    }

    @Test func `a token that expires soon is refreshed before the socket connects`() async throws {
        let bench = try await SocketFixture()
        bench.clock.advance(by: .seconds(595))
        await bench.session.untilQuiet()
        let socket = try bench.socket()
        await socket.connect()
        #expect(try await bench.transport.next().bearer == "access-2")
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test func `a handshake refused with 401 causes one refresh and a connection with the new token`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        try await bench.transport.next().refuse(401)
        let second = try await bench.transport.next()
        #expect(second.bearer == "access-2")
        second.accept()
        await socket.untilOpen()
        #expect(bench.backend.counts.refreshes == 1)
        #expect(bench.transport.maximumOpenConnections == 1)
    }

    @Test func `a refused token that the session has already refreshed is not refreshed again`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let first = try await bench.transport.next()
        try await bench.session.refresh()
        first.refuse(401)
        #expect(try await bench.transport.next().bearer == "access-2")
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test func `a socket limits its handshakes and refreshes while the server refuses every token`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket { $0.backoff = RetryBackoff(first: .seconds(1), limit: .seconds(20)) }
        await socket.connect()
        // Time goes on whenever the socket waits.
        let clockwork = Task { [clock = bench.clock] in
            for await case .waiting(let pause?, _) in socket.states { clock.advance(by: pause) }
        }
        var handshakes = 0
        // Five minutes.
        while bench.clock.now.offset < .seconds(300) {
            try await bench.transport.next().refuse(401)
            handshakes += 1
        }
        clockwork.cancel()
        #expect(handshakes < 30)
        // The floor for refreshes after refusals is 30 s.
        #expect(bench.backend.counts.refreshes <= 11)
    }

    @Test func `a handshake refused with 403 closes the socket without a refresh`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        async let rest = socket.messages.reduce(0) { count, _ in count + 1 }
        try await bench.transport.next().refuse(403, headers: ["Content-Type": "application/json"], body: "{}")
        #expect(await rest == 0)
        #expect(socket.state == .closed(.forbidden(code: 403)))
        #expect(bench.backend.counts.refreshes == 0)
    }

    @Test func `a 403 response with an HTML page makes the socket wait, not close`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        try await bench.transport.next().refuse(403, headers: ["Content-Type": "text/html"], body: "<html>no</html>")
        #expect(await socket.untilWaiting() == .refused(status: 403))
    }

    @Test(arguments: [4401, 1008, 3000]) func `a close code for an expired token causes a refresh and a new connection`(
        code: Int
    ) async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let first = try await bench.transport.next().accept()
        await socket.untilOpen()
        first.close(fromServer: code)
        let second = try await bench.transport.next()
        #expect(second.bearer == "access-2")
        second.accept()
        await socket.untilOpen(2)
        #expect(bench.transport.maximumOpenConnections == 1)
    }

    @Test func `a socket closes with the sign-out reason when the server has ended the session`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let first = try await bench.transport.next().accept()
        await socket.untilOpen()
        bench.backend.endSessions(reason: "revoked_by_operator")
        first.close(fromServer: 4401)
        #expect(await socket.untilClosed() == .signedOut(.revokedByOperator))
        #expect(bench.session.state == .signedOut(.revokedByOperator))
        #expect(bench.transport.unclaimed.isEmpty)
    }

    @Test func `a socket reconnects with back-off after a lost connection and keeps received messages`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        let messages = socket.messages.makeAsyncIterator()
        let consumer = Task {
            var messages = messages
            var got: [SocketMessage] = []
            while got.count < 4, let message = await messages.next() { got.append(message) }
            return got
        }
        let first = try await bench.transport.next().accept()
        await socket.untilOpen()
        for text in ["1", "2", "3"] { first.deliver(text) }
        first.lose()
        #expect(await socket.untilWaiting() == .unreachable)
        bench.clock.advance(by: .seconds(1))
        try await bench.transport.next().fail()
        await socket.until { $0 == .waiting(retryAfter: .seconds(2), .unreachable) }
        bench.clock.advance(by: .seconds(2))
        let second = try await bench.transport.next().accept()
        second.deliver("4")
        let got = await consumer.value
        #expect(got.map(\.text) == ["1", "2", "3", "4"])
        // The consumer sees where messages may be missing.
        #expect(got.map(\.connection) == [1, 1, 1, 2])
    }

    @Test func `a socket waits at least the Retry-After time of a refused handshake`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        try await bench.transport.next().refuse(503, headers: ["Retry-After": "7"])
        await socket.until { $0 == .waiting(retryAfter: .seconds(8), .refused(status: 503)) }
    }

    @Test func `a handshake without a response is cancelled after 10 seconds, and a late connection is closed`()
        async throws
    {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let handshake = try await bench.transport.next()
        await bench.clock.waitForSleep(for: .seconds(10))
        bench.clock.advance(by: .seconds(10))
        #expect(await socket.untilWaiting() == .unreachable)
        #expect(handshake.isCancelled)
        // Too late: nobody keeps it.
        handshake.accept()
        #expect(bench.transport.openConnections == 0)
    }

    @Test func `a connection without a pong before the deadline is closed`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket {
            $0.pingInterval = .seconds(25)
            $0.pongDeadline = .seconds(7)
        }
        await socket.connect()
        let connection = try await bench.transport.next().accept()
        await socket.untilOpen()
        await bench.clock.waitForSleep(for: .seconds(25))
        bench.clock.advance(by: .seconds(25))
        await bench.clock.waitForSleep(for: .seconds(25))
        #expect(connection.pings == 1)
        connection.answersPings = false
        bench.clock.advance(by: .seconds(25))
        await bench.clock.waitForSleep(for: .seconds(7))
        bench.clock.advance(by: .seconds(7))
        #expect(await socket.untilWaiting() == .pongTimeout)
        try await connection.waitUntilEnded()
        #expect(bench.transport.openConnections == 0)
    }

    @Test func `a new token is sent over the open connection if the contract has a renewal message`() async throws {
        let bench = try await SocketFixture()
        let session = try await bench.session(with: #"{"message": {"auth": "$access_token"}}"#)
        let socket = try session.socket(configuration: .quiet, transport: bench.transport)
        await socket.connect()
        let handshake = try await bench.transport.next()
        #expect(handshake.request.value(forHTTPHeaderField: "Authorization") == nil)
        let connection = handshake.accept()
        let first = try await connection.nextSent().text
        #expect(first == #"{"auth":"\#(try await session.accessToken().value)"}"#)
        try await session.refresh()
        let second = try await connection.nextSent().text
        #expect(second == #"{"auth":"\#(try await session.accessToken().value)"}"#)
        #expect(first != second)
    }

    @Test func `a token that is refreshed during the handshake is sent after the handshake`() async throws {
        let bench = try await SocketFixture()
        let session = try await bench.session(with: #"{"message": {"auth": "$access_token"}}"#)
        let socket = try session.socket(configuration: .quiet, transport: bench.transport)
        await socket.connect()
        let handshake = try await bench.transport.next()
        let old = try await session.accessToken().value
        try await session.refresh()
        let connection = handshake.accept()
        #expect(try await connection.nextSent().text == #"{"auth":"\#(old)"}"#)
        #expect(try await connection.nextSent().text == #"{"auth":"\#(try await session.accessToken().value)"}"#)
    }

    @Test func `an open socket with renewal messages refreshes the session before its token expires`() async throws {
        let bench = try await SocketFixture()
        let session = try await bench.session(with: #"{"message": {"auth": "$access_token"}}"#)
        let socket = try session.socket(configuration: .quiet, transport: bench.transport)
        await socket.connect()
        let connection = try await bench.transport.next().accept()
        _ = try await connection.nextSent()
        await socket.untilOpen()
        await bench.clock.waitForSleep(for: .seconds(570))
        bench.clock.advance(by: .seconds(570))
        _ = try await connection.nextSent()
        #expect(bench.backend.counts.refreshes == 1)
    }

    @Test func `a socket that reconnects before its token expires has at most one connection`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket { $0.reconnectLeadTime = .seconds(60) }
        await socket.connect()
        let first = try await bench.transport.next().accept()
        await socket.untilOpen()
        await bench.clock.waitForSleep(for: .seconds(540))
        bench.clock.advance(by: .seconds(540))
        let second = try await bench.transport.next()
        #expect(first.closeCode == 1000)
        #expect(second.bearer == "access-2")
        second.accept()
        await socket.untilOpen(2)
        #expect(bench.transport.maximumOpenConnections == 1)
    }
}

extension AuthSession {
    /// Waits until no refresh is under way.
    func untilQuiet() async { for await state in states where state != .refreshing { return } }
}

extension SocketConfiguration {
    static var quiet: SocketConfiguration {
        var configuration = SocketConfiguration()
        configuration.pingInterval = nil
        return configuration
    }
}

extension SocketFixture {
    /// A session whose contract has a socket that is shown its token so, first and later.
    func session(with place: String) async throws -> AuthSession {
        let contract = try Contract.native(socket: #"{"path": "/feed", "token": \#(place), "renewal": \#(place)}"#)
        let session = try AuthSession(
            contract: contract,
            baseURL: Fixtures.base(),
            store: InMemoryStore(),
            configuration: bench.configuration,
            transport: backend,
            clock: clock
        )
        try await session.signIn(.test)
        return session
    }
}
