// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire
import HTTPTypes
import NIOCore
import ServerFixtures
import Testing

@testable import FreshetHTTP
@testable import FreshetServer

/// The limits of a client's messages, and of their cost.
@Suite(.timeLimit(.minutes(5)))
struct `A socket's limits` {
    let server = ServerUnderTest()

    private func configuration(_ change: (inout SocketLimits) -> Void) -> ServerConfiguration {
        var configuration = server.configuration
        change(&configuration.sockets)
        return configuration
    }

    /// Frames that end a socket.
    struct ProtocolViolation: Sendable, CustomTestStringConvertible {
        var name: String
        var frames: @Sendable (SocketClient) async -> Void
        var close: SocketClient.Event
        var testDescription: String { name }
    }

    static let offences = [
        ProtocolViolation(
            name: "too long",
            frames: { await $0.send(2, Array(repeating: 7, count: 65_537)) },
            close: tooLarge
        ),
        ProtocolViolation(
            name: "too long in fragments",
            frames: {
                await $0.send(1, Array(repeating: 97, count: 40_000), isLast: false)
                await $0.send(0, Array(repeating: 97, count: 40_000))
            },
            close: tooLarge
        ),
        ProtocolViolation(
            name: "too many fragments",
            frames: { client in
                await client.send(1, [97], isLast: false)
                for _ in 1...128 { await client.send(0, [97], isLast: false) }
            },
            close: tooLarge
        ),
        ProtocolViolation(name: "not masked", frames: { await $0.send(1, [97], isMasked: false) }, close: broken),
        ProtocolViolation(name: "a reserved bit", frames: { await $0.send(1, [97], reserved: 4) }, close: broken),
        ProtocolViolation(name: "a reserved opcode", frames: { await $0.send(3, [97]) }, close: broken),
        ProtocolViolation(name: "a fragment of nothing", frames: { await $0.send(0, [97]) }, close: broken),
        ProtocolViolation(
            name: "a message inside another",
            frames: {
                await $0.send(1, [97], isLast: false)
                await $0.send(1, [97])
            },
            close: broken
        ),
        ProtocolViolation(name: "a ping in parts", frames: { await $0.send(9, [], isLast: false) }, close: broken),
        ProtocolViolation(
            name: "a long ping",
            frames: { await $0.send(9, Array(repeating: 7, count: 126)) },
            close: broken
        ),
        ProtocolViolation(name: "a close with half a code", frames: { await $0.send(8, [3]) }, close: broken),
        ProtocolViolation(name: "a code that nobody sends", frames: { await $0.close(1006) }, close: broken),
        ProtocolViolation(
            name: "text that is none",
            frames: { await $0.send(1, [0xFF]) },
            close: .close(1007, "not_utf8")
        ),
        ProtocolViolation(
            name: "too much at once",
            frames: { for _ in 1...61 { await $0.say("x") } },
            close: .close(1008, "too_many_messages")
        ),
        ProtocolViolation(
            name: "too many pings",
            frames: { for _ in 1...70 { await $0.send(9, []) } },
            close: .close(1008, "too_many_messages")
        ),
    ]

    private static let tooLarge = SocketClient.Event.close(1009, "message_too_large")
    private static let broken = SocketClient.Event.close(1002, "protocol_error")

    @Test(arguments: offences)
    func `a socket that violates the protocol or a limit is closed with the matching code`(violation: ProtocolViolation)
        async throws
    {
        try await server.run(configuration { $0.messageInterval = .seconds(60) }) { caller in
            let client = try await caller.socket(try await caller.signUp().accessToken)
            await violation.frames(client)
            #expect(await client.rest().last == violation.close)
        }
    }

    @Test func `a long fragmented message with a ping between its fragments is delivered`() async throws {
        let (messages, arrived) = AsyncStream.makeStream(of: SocketMessage.self)
        try await server.run(listener: { message, _ in arrived.yield(message) }) { caller in
            let client = try await caller.socket(try await caller.signUp().accessToken)
            await client.send(1, Array(repeating: 97, count: 65_534), isLast: false)
            await client.send(9, [5])
            // Half a letter in each part.
            await client.send(0, [0xC3], isLast: false)
            await client.send(0, [0xA4])
            #expect(await client.next() == .pong([5]))
            let message = await messages.first { _ in true }
            #expect(message == .text(String(repeating: "a", count: 65_534) + "ä"))
        }
    }

    @Test func `the number of sockets is limited per session and per user`() async throws {
        let limits = configuration {
            $0.perSession = 2
            $0.perUser = 3
        }
        try await server.run(limits) { caller in
            let first = try await caller.signUp().accessToken
            let second = try await caller.signIn().accessToken
            let held = [try await caller.socket(first), try await caller.socket(first)]
            func status(_ token: String) async throws -> Int {
                try await caller.connect().open(NativePath.socket, ["Authorization": "Bearer \(token)"]).status
            }
            let refused = try await caller.connect().open(NativePath.socket, ["Authorization": "Bearer \(first)"])
            #expect(refused.status == 429)
            #expect(refused.headers["retry-after"] != nil)
            let third = try await caller.socket(second)
            #expect(try await status(second) == 429)
            // By the first message it is the same.
            let client = try await caller.connect()
            #expect(try await client.open(NativePath.socket).status == 101)
            await client.say(#"{"type":"auth","access_token":"\#(first)"}"#)
            #expect(await client.rest() == [.close(4429, "too_many_sockets")])
            // A closed socket frees its place.
            await held[0].close(1000)
            #expect(await held[0].rest() == [.close(1000, "")])
            _ = try await caller.socket(first)
            await third.disconnect()
        }
    }

    @Test func `the number of sockets is limited in total and for sockets without a token`() async throws {
        let limits = configuration {
            $0.total = 2
            $0.unidentified = 1
        }
        try await server.run(limits) { caller in
            let token = try await caller.signUp().accessToken
            let client = try await caller.connect()
            #expect(try await client.open(NativePath.socket).status == 101)
            let newer = try await caller.connect()
            #expect(try await newer.open(NativePath.socket).status == 101)
            #expect(await client.next() == .close(4429, "too_many_sockets"))
            await newer.say(#"{"type":"auth","access_token":"\#(token)"}"#)
            #expect(await newer.next().value("type") == .string("ready"))
            _ = try await caller.socket(token)
            let full = try await caller.connect().open(NativePath.socket, ["Authorization": "Bearer \(token)"])
            #expect(full.status == 503)
        }
    }

    @Test func `the socket of a client that reads nothing is closed once its queue is full`() async throws {
        try await server.run(configuration { $0.queuedBytes = 128 * 1024 }) { caller in
            let client = try await caller.socket(try await caller.signUp().accessToken)
            try await client.channel.setOption(.autoRead, value: false).get()
            let message = SocketMessage.text(String(repeating: "x", count: 64 * 1024))
            var written = 0
            let log = caller.log.messagesFromNow()
            // Publishing side by side, because the one that waits to be written does not return.
            let counts = await withTaskGroup(of: DeliveryReport.self) { group in
                for _ in 1...400 { group.addTask { await caller.sockets.publish(message, to: .all) } }
                return await group.reduce(into: [DeliveryReport]()) { $0.append($1) }
            }
            for count in counts { written += count.written }
            #expect(written < 400)
            for await message in log where message == "socket closed" { break }
            #expect(caller.sockets.principals.isEmpty)
            let line = try await caller.log.line { $0["message"] == "socket closed" }
            #expect(line["code"] == "1013")
            #expect(line["reason"] == "too_slow")
        }
    }

    @Test func `a client that reads nothing does not block the publisher`() async throws {
        try await server.run(configuration { $0.writeTimeout = .milliseconds(100) }) { caller in
            let client = try await caller.socket(try await caller.signUp().accessToken)
            try await client.channel.setOption(.autoRead, value: false).get()
            let message = SocketMessage.binary(Data(repeating: 7, count: 1 << 20))
            var last = DeliveryReport(addressed: 1, written: 1)
            while last.written == 1 { last = await caller.sockets.publish(message, to: .all) }
            // By then the socket may be gone.
            #expect(last.addressed <= 1)
        }
    }
}
