// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetBackends
import FreshetKit
import FreshetNIO
import FreshetTesting
import Testing

/// The WebSocket of bitbasel's fake backend, over TCP.
@Suite(.timeLimit(.minutes(5)))
struct `The socket of bitbasel's fake backend` {
    private func live(_ body: (ServedBackend, AuthSession) async throws -> Void) async throws {
        try await ServedBackend.live("bitbasel") { served in
            let session = try AuthSession(
                contract: .named("bitbasel"),
                baseURL: try #require(URL(string: served.url)),
                store: InMemoryStore(),
                transport: NIOTransport()
            )
            try await session.signIn(.appleIdentityToken("apple-token"))
            try await body(served, session)
        }
    }

    private func socket(_ session: AuthSession) throws -> SessionSocket {
        try session.socket(configuration: SocketConfiguration(), transport: NIOWebSocketTransport())
    }

    @Test func `a socket delivers published messages and messages of control requests to the client`() async throws {
        try await live { served, session in
            let socket = try socket(session)
            var messages = socket.messages.makeAsyncIterator()
            await socket.connect()
            try await served.backend.waitForOpenSockets(1)
            served.backend.publish(#"{"post":1}"#)
            #expect(await messages.next()?.text == #"{"post":1}"#)
            try await served.control("sockets", #"{"send":"two"}"#)
            #expect(await messages.next()?.text == "two")
            #expect(try await served.counts()["handshakes"] as? Int == 1)
        }
    }

    @Test func `a lost connection, a close frame and bytes that are no frame lead to another handshake`() async throws {
        try await live { served, session in
            let socket = try socket(session)
            var messages = socket.messages.makeAsyncIterator()
            await socket.connect()
            try await served.backend.waitForOpenSockets(1)
            for (count, fault) in [#"{"drop":true}"#, #"{"close":1011}"#, #"{"malformed":true}"#].enumerated() {
                try await served.control("sockets", fault)
                try await served.backend.waitForSocket(count + 2)
                served.backend.publish("\(count)")
                #expect(await messages.next()?.text == "\(count)")
            }
        }
    }

    @Test func `a socket closes when its access token expires, and the client refreshes and reconnects`() async throws {
        try await live { served, session in
            let socket = try socket(session)
            var messages = socket.messages.makeAsyncIterator()
            await socket.connect()
            try await served.backend.waitForOpenSockets(1)
            // The backend's clock passes the end of the token, and only its.
            try await served.control("clock", #"{"step":1900}"#)
            try await served.backend.waitForSocket(2)
            served.backend.publish("after")
            #expect(await messages.next()?.text == "after")
            #expect(served.backend.counts.grantedRefreshes >= 1)
        }
    }

    @Test func `a fake backend pings a socket, counts the pongs and records the client's messages`() async throws {
        try await live { served, session in
            let socket = try socket(session)
            var messages = socket.messages.makeAsyncIterator()
            await socket.connect()
            try await served.backend.waitForOpenSockets(1)
            try await served.control("sockets", #"{"ping":true}"#)
            // Frames keep their order, so the pong is on its way when the client answers this one.
            served.backend.publish("x")
            #expect(await messages.next()?.text == "x")
            try await socket.send("answer")
            try await served.backend.waitForSocketMessages(1)
            #expect(served.backend.counts.pongs == 1)
            #expect(served.backend.socketMessages == ["answer"])
        }
    }

    @Test func `a bad token is refused with 403, a plain GET with 426, both with the app's error body`() async throws {
        try await ServedBackend.live("bitbasel") { served in
            let plain = try await served.send("GET", "/ws/feed?token=x")
            #expect(plain.status == 426 && plain.fields["detail"] is String)
            let refused = try await Handshake(served.url, "/ws/feed?token=x").answer()
            #expect(refused.hasPrefix("HTTP/1.1 403") && refused.contains(#""detail""#))
            // It was asked once, though two layers looked at it.
            #expect(served.backend.counts.handshakes == 2)
            served.backend.fail(.status(503), at: .socket)
            #expect(try await Handshake(served.url, "/ws/feed?token=x").answer().hasPrefix("HTTP/1.1 503"))
            let grant = served.backend.signIn()
            let path = "/ws/feed?token=\(grant.accessToken)"
            #expect(try await Handshake(served.url, path, key: nil).status() == 400)
            served.backend.fail(.requestLost, at: .socket)
            #expect(try await Handshake(served.url, path).answer() == "")
            #expect(try await Handshake(served.url, path).status() == 101)
        }
    }
}
