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

/// A socket's messages are delivered only to the user who was signed in.
@Suite(.timeLimit(.minutes(5))) struct `Socket and accounts` {
    @Test func `signing out closes the socket, and signing in does not open it again`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        async let count = socket.messages.reduce(0) { count, _ in count + 1 }
        let first = try await bench.transport.next().accept()
        await socket.untilOpen()
        try await bench.session.signOut()
        #expect(await count == 0)
        try await first.waitUntilEnded()
        #expect(first.closeCode == 1000)
        guard case .closed(.signedOut(.requested)) = socket.state else {
            Issue.record("\(socket.state)")
            return
        }
        try await bench.session.signIn(.test)
        #expect(bench.transport.unclaimed.isEmpty)
        // A caller that iterates the messages again gets a new connection.
        async let next = socket.messages.first { _ in true }
        let second = try await bench.transport.next().accept()
        second.deliver("hello")
        #expect(await next?.text == "hello")
    }

    @Test func `messages received for one user are not delivered to the next user`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let first = try await bench.transport.next().accept()
        await socket.untilOpen()
        for text in ["for A 1", "for A 2"] { first.deliver(text) }
        // The other user signs in without a sign-out before.
        try await bench.session.signIn(.password(email: "bob@example.com", password: "another one"))
        first.deliver("for A 3")
        async let next = socket.messages.first { _ in true }
        let second = try await bench.transport.next()
        #expect(second.bearer == "access-2")
        second.accept().deliver("for B")
        #expect(await next?.text == "for B")
        #expect(bench.transport.maximumOpenConnections == 1)
    }

    @Test func `the message iteration of one user ends when another user signs in`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        async let texts = socket.messages.reduce(into: [String?]()) { $0.append($1.text) }
        let first = try await bench.transport.next().accept()
        await socket.untilOpen()
        try await bench.session.signIn(.password(email: "bob@example.com", password: "another one"))
        first.deliver("for A")
        #expect(await texts.isEmpty)
        #expect(await socket.untilClosed() == .signedOut(.replaced))
    }

    @Test func `a queued message is not sent after another user has signed in`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let first = try await bench.transport.next()
        let sending = await socket.enqueue("from A")
        try await bench.session.signIn(.password(email: "bob@example.com", password: "another one"))
        first.accept()
        await #expect(throws: SocketError.closed(.signedOut(.replaced))) { try await sending.value }
    }

    @Test func `a socket does not connect while the session is signed out`() async throws {
        let bench = try await SocketFixture()
        try await bench.session.signOut()
        let socket = try bench.socket()
        for await _ in socket.messages { Issue.record("a message") }
        #expect(socket.state == .closed(.signedOut(.requested)))
        #expect(bench.transport.unclaimed.isEmpty)
    }

    @Test func `a socket waits while the session's store is locked, and connects afterwards`() async throws {
        let store = UnreliableStore()
        let bench = try await SocketFixture(store: store)
        store.readFault = SessionStoreError(.locked, "locked")
        let session = try bench.bench.session(store: store)
        let socket = try session.socket(
            Fixtures.url("wss://api.example.com/feed"),
            configuration: .quiet,
            transport: bench.transport
        )
        await socket.connect()
        guard case .session(.storeUnavailable) = await socket.untilWaiting() else {
            Issue.record("\(socket.state)")
            return
        }
        store.readFault = nil
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.transport.next().bearer == "access-1")
    }

    @Test func `a socket stays open when its session's user becomes known`() async throws {
        let (bench, backend, sockets) = (SessionFixture(), ManualTransport(), ManualWebSocketTransport())
        let session = try bench.session(contract: .named("outbox"), transport: backend)
        try await session.signIn(.tokens(TokenGrant(accessToken: "a", refreshToken: "r", expiresIn: .seconds(900))))
        let url = try Fixtures.url("wss://api.example.com/feed")
        let socket = try session.socket(url, configuration: .quiet, transport: sockets)
        async let text = socket.messages.first { _ in true }?.text
        let connection = try await sockets.next().accept()
        await socket.untilOpen()
        async let refreshed: Void = session.refresh()
        let token = Fixtures.jwt(PresetSample.sub)
        try await backend.next().answer(200, json: #"{"data":{"access_token":"\#(token)","refresh_token":"r1"}}"#)
        try await refreshed
        #expect(session.status.userID == "u-1")
        connection.deliver("for u-1")
        #expect(await text == "for u-1")
        #expect(sockets.unclaimed.isEmpty && connection.closeCode == nil)
    }

    @Test func `callers with the same URL and configuration share one socket`() async throws {
        let bench = try await SocketFixture()
        let first = try bench.socket()
        let second = try bench.socket()
        #expect(first === second)
        #expect(throws: SessionError.self) { try bench.socket { $0.incomingLimit = 1 } }
        let url = try Fixtures.url("https://api.example.com/feed#part")
        #expect(try bench.session.socket(url, configuration: first.configuration, transport: bench.transport) === first)
        let other = try Fixtures.url("wss://api.example.com/other")
        #expect(try bench.session.socket(other, transport: bench.transport) !== first)
    }

    @Test func `a socket reconnects only after the close handshake of its old connection`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let first = try await bench.transport.next().accept()
        await socket.untilOpen()
        first.answersCloseFrames = false
        await socket.close()
        await socket.connect()
        // Another socket opens meanwhile, all the way.
        let other = try bench.session.socket(
            Fixtures.url("wss://api.example.com/other"),
            configuration: .quiet,
            transport: bench.transport
        )
        await other.connect()
        let handshake = try await bench.transport.next()
        #expect(handshake.request.url?.path == "/other")
        handshake.accept()
        await other.untilOpen()
        #expect(bench.transport.unclaimed.isEmpty)
        first.answersCloseFrames = true
        #expect(try await bench.transport.next().request.url?.path == "/feed")
    }

    @Test func `a close frame without a response delays the next connection by at most 3 seconds`() async throws {
        let bench = try await SocketFixture()
        let socket = try bench.socket()
        await socket.connect()
        let first = try await bench.transport.next().accept()
        await socket.untilOpen()
        first.answersCloseFrames = false
        await socket.close()
        await socket.connect()
        await bench.clock.waitForSleep(for: .seconds(3))
        bench.clock.advance(by: .seconds(3))
        try await bench.transport.next().accept()
        await socket.untilOpen(2)
        first.lose()
    }

    @Test func `a socket without references closes its connection before the next socket connects`() async throws {
        let bench = try await SocketFixture()
        var socket: SessionSocket? = try bench.socket()
        await socket?.connect()
        let first = try await bench.transport.next().accept()
        await socket?.untilOpen()
        socket = nil
        let next = try bench.socket { $0.incomingLimit = 1 }
        await next.connect()
        try await bench.transport.next().accept()
        #expect(first.closeCode == 1000)
        await next.untilOpen()
        #expect(bench.transport.maximumOpenConnections == 1)
    }
}
