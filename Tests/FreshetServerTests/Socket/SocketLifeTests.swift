// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import ServerFixtures
import Testing

@testable import FreshetHTTP
@testable import FreshetServer

/// How long a native socket stays open, and how it ends.
@Suite(.timeLimit(.minutes(5)))
struct `An open socket` {
    let server = ServerUnderTest()

    private func configuration(_ change: (inout SocketLimits) -> Void) -> ServerConfiguration {
        var configuration = server.configuration
        // On a slow machine a client answers many pings at once.
        configuration.sockets.burst = 10_000
        change(&configuration.sockets)
        return configuration
    }

    private func auth(_ token: String) -> String { #"{"type":"auth","access_token":"\#(token)"}"# }

    // MARK: - The token's time

    @Test func `a socket is closed when its token expires`() async throws {
        var configuration = server.configuration
        configuration.lifetimes.access = .seconds(1)
        try await server.run(configuration) { caller in
            let client = try await caller.socket(try await caller.signUp().accessToken)
            // The alarm is set; when it rings the token is over by the server's clock, too.
            server.advance(by: .seconds(2))
            #expect(await client.rest() == [.close(4401, "expired")])
        }
    }

    @Test func `a socket is closed soon after the server's clock is set past the token's expiry`() async throws {
        try await server.run(configuration { $0.pingInterval = .milliseconds(50) }) { caller in
            let client = try await caller.socket(try await caller.signUp().accessToken)
            server.advance(by: .seconds(601))
            #expect(await client.rest() == [.close(4401, "expired")])
        }
    }

    @Test func `a socket stays open with a new token until the new token expires`() async throws {
        try await server.run(configuration { $0.pingInterval = .milliseconds(50) }) { caller in
            let grant = try await caller.signUp()
            let client = try await caller.socket(grant.accessToken)
            server.advance(by: .seconds(300))
            let renewed: SessionTokens = try await caller.refresh(grant.refreshToken, .random()).json()
            await client.say(auth(renewed.accessToken))
            let left = await client.next().value("expires_in")?.text.flatMap { Int($0) }
            #expect(left.map { $0 > 590 } == true)
            server.advance(by: .seconds(400))
            // Past the first token's end: several rounds go by.
            for _ in 1...4 {
                let frame = await client.nextFrame()
                try #require(frame == .ping)
                await client.send(10, [])
            }
            #expect(await caller.sockets.publish(.text("still here"), to: .all).written == 1)
            // A first token that is shown again takes nothing away, were it still good.
            server.advance(by: .seconds(300))
            #expect(await client.rest() == [.text("still here"), .close(4401, "expired")])
        }
    }

    @Test func `a socket is closed if its new token belongs to another session`() async throws {
        try await server.run { caller in
            let first = try await caller.signUp()
            let second = try await caller.signIn()
            let client = try await caller.socket(first.accessToken)
            await client.say(auth(second.accessToken))
            #expect(await client.rest() == [.close(4403, "other_session")])
        }
    }

    @Test func `a socket is closed if its new token is invalid`() async throws {
        try await server.run { caller in
            let client = try await caller.socket(try await caller.signUp().accessToken)
            await client.say(auth("nonsense"))
            #expect(await client.rest() == [.close(4401, "invalid_token")])
        }
    }

    // MARK: - The first message

    @Test func `a socket without a token is closed after the authentication timeout`() async throws {
        try await server.run(configuration { $0.authenticationTimeout = .milliseconds(100) }) { caller in
            let client = try await caller.connect()
            #expect(try await client.open(NativePath.socket).status == 101)
            #expect(await client.rest() == [.close(4408, "authentication_timeout")])
        }
    }

    @Test(arguments: ["hello", "{}", #"{"type":"auth"}"#, #"{"type":"auth","access_token":7}"#])
    func `a socket is closed if its first message is not a valid auth message`(message: String) async throws {
        try await server.run { caller in
            let client = try await caller.connect()
            #expect(try await client.open(NativePath.socket).status == 101)
            await client.say(message)
            #expect(await client.rest() == [.close(4401, "invalid_token")])
        }
    }

    // MARK: - The session's end

    @Test(arguments: [EndReason.logout, .revokedByUser, .logoutAll, .fork])
    func `a socket is closed immediately with the reason when its session ends`(ending: EndReason) async throws {
        try await server.run { caller in
            let other = try await caller.signUp()
            let grant = try await caller.signIn()
            let client = try await caller.socket(grant.accessToken)
            let bystander = try await caller.socket(other.accessToken)
            switch ending {
            case .logout:
                #expect(try await caller.present(NativePath.logout, grant.refreshToken).status == 204)
            case .revokedByUser:
                let path = "\(NativePath.sessions)/\(grant.sessionID)"
                #expect(try await caller.send(.delete, path, bearer: other.accessToken).status == 204)
            case .logoutAll:
                #expect(try await caller.send(.post, NativePath.logoutAll, bearer: other.accessToken).status == 204)
            default:
                #expect(try await caller.refresh(grant.refreshToken, .random()).status == 200)
                #expect(try await caller.refresh(grant.refreshToken, .random()).status == 400)
            }
            let last = [await client.next(), await client.next(), await client.next()]
            #expect(last[0].value("type") == .string("session_ended"))
            #expect(last[0].value("reason") == .string(ending.rawValue))
            #expect(last[1...] == [.close(4410, ending.rawValue), .end])
            _ = try await caller.log.line { $0["message"] == "socket closed" && $0["code"] == "4410" }
            if ending != .logoutAll {
                // The other device's is none of this.
                #expect(
                    await caller.sockets.publish(.text("hello"), to: .all) == DeliveryReport(addressed: 1, written: 1)
                )
                #expect(await bystander.next() == .text("hello"))
            }
        }
    }

    // MARK: - The connection's end

    @Test func `a socket gets the close code for a stopping server`() async throws {
        let open = NIOLockedValueBox<SocketClient?>(nil)
        try await server.run { caller in
            let client = try await caller.socket(try await caller.signUp().accessToken)
            open.withLockedValue { $0 = client }
            // The client does not read until the server has stopped: the server does not wait for an answer for ever.
        }
        let client = try #require(open.withLockedValue { $0 })
        #expect(await client.rest() == [.close(1001, "server_stopping")])
    }

    @Test func `a socket responds to a ping, and to a close frame with the same code`() async throws {
        try await server.run { caller in
            let client = try await caller.socket(try await caller.signUp().accessToken)
            await client.send(9, [1, 2, 3])
            #expect(await client.next() == .pong([1, 2, 3]))
            await client.close(3000)
            #expect(await client.nextFrame() == .close(3000, ""))
            #expect(await client.nextFrame() == .end)
            let line = try await caller.log.line { $0["message"] == "socket closed" }
            #expect(line["code"] == "3000")
            #expect(line["by"] == "client")
            #expect(line["duration_ms"].flatMap { Int($0) } != nil)
            #expect(caller.sockets.principals.isEmpty)
        }
    }

    @Test(arguments: [CloseMode.all, .output])
    func `a socket whose connection is lost is removed from the hub and logged`(mode: CloseMode) async throws {
        try await server.run { caller in
            let messages = caller.log.messagesFromNow()
            let client = try await caller.socket(try await caller.signUp().accessToken)
            try await client.channel.close(mode: mode)
            for await message in messages where message == "socket closed" { break }
            #expect(caller.sockets.principals.isEmpty)
            #expect(caller.log.lines.last { $0["message"] == "socket closed" }?["reason"] == "connection_lost")
        }
    }

    @Test func `the opening and closing of a socket are logged without the token`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let client = try await caller.socket(grant.accessToken)
            await client.close(1000)
            #expect(await client.rest() == [.close(1000, "")])
            for message in ["socket opened", "socket closed"] {
                let line = try await caller.log.line { $0["message"] == message }
                #expect(line["session"] == grant.sessionID.description)
                #expect(line["user"] == grant.user.id)
            }
            #expect(!caller.log.lines.description.contains(/eyJ[\w-]+\.eyJ/))
        }
    }
}
