// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

@testable import FreshetHTTP
@testable import FreshetMail
@testable import FreshetServer

/// Publishing, and hearing.
@Suite(.timeLimit(.minutes(5)))
struct `The hub` {
    let server = ServerUnderTest()

    @Test func `the hub publishes to all sockets, a user, a session or one socket, and reports the count`() async throws
    {
        try await server.run { caller in
            let ann = try await caller.signUp()
            let annToo = try await caller.signIn()
            let bob = try await caller.signUp("bob@example.com")
            let clients = [
                try await caller.socket(ann.accessToken), try await caller.socket(ann.accessToken),
                try await caller.socket(annToo.accessToken), try await caller.socket(bob.accessToken),
            ]
            let user = try #require(UUID(uuidString: ann.user.id))
            let one = try #require(caller.sockets.principals.first { $0.session == bob.sessionID })
            let sent: [(SocketRecipients, String, Int)] = [
                (.session(ann.sessionID), "session", 2), (.user(user), "user", 3), (.all, "all", 4),
                (.socket(one.socket), "one", 1), (.session(.random()), "nobody", 0), (.user(UUID()), "nobody", 0),
            ]
            for (recipients, text, count) in sent {
                let published = await caller.sockets.publish(.text(text), to: recipients)
                #expect(published == DeliveryReport(addressed: count, written: count))
            }
            let expected = [
                ["session", "user", "all"], ["session", "user", "all"], ["user", "all"], ["all", "one"],
            ]
            for (client, texts) in zip(clients, expected) {
                for text in texts { #expect(await client.next() == .text(text)) }
            }
        }
    }

    @Test func `a client receives a message that is published immediately after its ready message`() async throws {
        try await server.run { caller in
            var grant = try await caller.signUp()
            for number in 1...8 {
                let client = try await caller.socket(grant.accessToken)
                let published = await caller.sockets.publish(.text("\(number)"), to: .session(grant.sessionID))
                try #require(published == DeliveryReport(addressed: 1, written: 1))
                #expect(await client.next() == .text("\(number)"))
                grant = try await caller.signIn()
            }
        }
    }

    @Test func `the hub keeps the order of messages and delivers binary data unchanged`() async throws {
        try await server.run { caller in
            let client = try await caller.socket(try await caller.signUp().accessToken)
            for number in 1...200 { _ = await caller.sockets.publish(.text("\(number)"), to: .all) }
            let bytes = Data((0...255).map(UInt8.init) + Array(repeating: 1, count: 70_000))
            _ = await caller.sockets.publish(.binary(bytes), to: .all)
            for number in 1...200 { #expect(await client.next() == .text("\(number)")) }
            #expect(await client.next() == .binary(Array(bytes)))
        }
    }

    @Test func `the hub delivers a client's messages to the listener in order, with their sender`() async throws {
        let (heard, ear) = AsyncStream.makeStream(of: (SocketMessage, SocketPrincipal).self)
        try await server.run(listener: { ear.yield(($0, $1)) }) { caller in
            let grant = try await caller.signUp()
            let client = try await caller.socket(grant.accessToken)
            await client.say("one")
            await client.send(2, [2])
            // Looks like a renewal and is none.
            await client.say(#"{"type":"auth"}"#)
            var messages = heard.makeAsyncIterator()
            for expected in [SocketMessage.text("one"), .binary(Data([2])), .text(#"{"type":"auth"}"#)] {
                let (message, principal) = try #require(await messages.next())
                #expect(message == expected)
                #expect(principal.session == grant.sessionID)
                #expect(SessionID(principal.user).description == grant.user.id)
                #expect(principal.contract == nil)
            }
        }
    }

    @Test func `a listener responds over the socket that sent the message`() async throws {
        let hub = NIOLockedValueBox<SocketHub?>(nil)
        try await server.run(listener: { message, principal in
            _ = await hub.withLockedValue { $0 }?.publish(message, to: .socket(principal.socket))
        }) { caller in
            hub.withLockedValue { $0 = caller.sockets }
            let grant = try await caller.signUp()
            let (client, other) = (
                try await caller.socket(grant.accessToken), try await caller.socket(grant.accessToken)
            )
            await client.say("echo")
            #expect(await client.next() == .text("echo"))
            await other.say("other")
            #expect(await other.next() == .text("other"))
        }
    }

    @Test func `a hub without a listener ignores a client's message, and responds to a ping`() async throws {
        try await server.run { caller in
            let client = try await caller.socket(try await caller.signUp().accessToken)
            await client.say("anybody?")
            await client.send(9, [1])
            #expect(await client.next() == .pong([1]))
        }
    }

    @Test func `the feed clock sends numbered ticks to a socket, and is refused in production`() async throws {
        var configuration = server.configuration
        configuration.feedClock = .milliseconds(20)
        try await server.run(configuration) { caller in
            let client = try await caller.socket(try await caller.signUp().accessToken)
            var numbers: [Int] = []
            for _ in 1...3 {
                let tick = await client.next()
                #expect(tick.value("type") == .string("tick"))
                numbers.append(try #require(tick.value("number")?.text.flatMap { Int($0) }))
            }
            #expect(numbers == [numbers[0], numbers[0] + 1, numbers[0] + 2])
        }
        configuration.isProduction = true
        configuration.mail = .none
        #expect(throws: ServerStartupError.feedClockInProduction) { try configuration.validate() }
    }

    @Test(arguments: ["app.example.com", "https://app.example.com/", "https://app.example.com/x", "null", ""])
    func `an invalid allowed origin is a configuration error`(text: String) {
        var configuration = server.configuration
        configuration.allowedOrigins = [text]
        #expect(throws: ServerStartupError.notAnOrigin(text)) { try configuration.validate() }
    }

    @Test(arguments: [
        "https://app.example.com", "http://localhost:3000", "https://[::1]:8443", "capacitor://localhost",
    ])
    func `the configuration accepts an allowed origin in the form that browsers send`(text: String) throws {
        var configuration = server.configuration
        configuration.allowedOrigins = [text]
        try configuration.validate()
    }
}
