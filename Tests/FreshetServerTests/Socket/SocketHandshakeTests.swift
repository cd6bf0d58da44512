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

/// Opening the native socket, or not.
@Suite(.timeLimit(.minutes(5)))
struct `A socket's handshake` {
    let server = ServerUnderTest()

    @Test func `a handshake accepts the token in the Authorization header`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let client = try await caller.connect()
            let answer = try await client.open(NativePath.socket, ["Authorization": "Bearer \(grant.accessToken)"])
            #expect(answer.status == 101)
            // The example of RFC 6455 section 1.3.
            #expect(answer.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(answer.headers["upgrade"] == "websocket")
            #expect(answer.headers["sec-websocket-protocol"] == nil)
            let ready = await client.next()
            #expect(ready.value("type") == .string("ready"))
            #expect(ready.value("session_id")?.text == grant.sessionID.description)
            #expect(ready.value("expires_in")?.text == "599" || ready.value("expires_in")?.text == "600")
        }
    }

    @Test func `a handshake accepts the token in a subprotocol, and the response does not repeat the token`()
        async throws
    {
        try await server.run { caller in
            let token = try await caller.signUp().accessToken
            let client = try await caller.connect()
            let answer = try await client.open(
                NativePath.socket,
                ["Sec-WebSocket-Protocol": "bearer.\(token), freshet.v1"]
            )
            #expect(answer.status == 101)
            #expect(answer.headers["sec-websocket-protocol"] == "freshet.v1")
            #expect(!answer.headers.values.contains { $0.contains(token) })
            #expect(await client.next().value("type") == .string("ready"))
            // A client that offers nothing but a token gets no subprotocol in the response.
            let other = try await caller.connect()
            let silent = try await other.open(NativePath.socket, ["Sec-WebSocket-Protocol": "bearer.\(token)"])
            #expect(silent.status == 101)
            #expect(silent.headers["sec-websocket-protocol"] == nil)
        }
    }

    @Test func `a socket accepts the token in the first message, and sends no message before`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let client = try await caller.connect()
            #expect(try await client.open(NativePath.socket).status == 101)
            #expect(await caller.sockets.publish(.text("early"), to: .all) == DeliveryReport(addressed: 0, written: 0))
            await client.say(#"{"type":"auth","access_token":"\#(grant.accessToken)"}"#)
            #expect(await client.next().value("type") == .string("ready"))
            #expect(caller.sockets.principals.map(\.session) == [grant.sessionID])
        }
    }

    @Test func `messages that a client sends together with the handshake are processed`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let client = try await caller.connect()
            var all = ByteBuffer(string: SocketClient.handshake(NativePath.socket))
            let message = #"{"type":"auth","access_token":"\#(grant.accessToken)"}"#
            all.writeImmutableBuffer(SocketClient.frame(1, Array(message.utf8)))
            all.writeImmutableBuffer(SocketClient.frame(9, [1, 2]))
            try await client.channel.writeAndFlush(all)
            #expect(try await client.answer().status == 101)
            var events = [await client.next(), await client.next()]
            events.sort { first, _ in first != .pong([1, 2]) }
            #expect(events[0].value("type") == .string("ready"))
            #expect(events[1] == .pong([1, 2]))
        }
    }

    /// The fields of a handshake that is refused, and the error.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var fields: [String: String] = [:]
        var left: Set<String> = []
        var error: String
        var header: String?
        var testDescription: String { "\(error) \(fields) \(left)" }
    }

    @Test(arguments: [
        Refusal(fields: ["Authorization": "Bearer nonsense"], error: "401 invalid_token", header: "www-authenticate"),
        Refusal(fields: ["Authorization": "Basic YTpi"], error: "401 invalid_token", header: "www-authenticate"),
        Refusal(fields: ["Sec-WebSocket-Protocol": "freshet.v1, bearer.x"], error: "401 invalid_token"),
        Refusal(
            fields: ["Authorization": "Bearer a", "Sec-WebSocket-Protocol": "bearer.a"],
            error: "400 invalid_request"
        ),
        Refusal(fields: ["Origin": "https://evil.example"], error: "403 origin_not_allowed"),
        Refusal(fields: ["Origin": "null"], error: "403 origin_not_allowed"),
        Refusal(fields: ["Sec-WebSocket-Version": "8"], error: "426 upgrade_required", header: "sec-websocket-version"),
        Refusal(fields: ["Sec-WebSocket-Key": "c2hvcnQ="], error: "400 invalid_request"),
        Refusal(left: ["Sec-WebSocket-Key"], error: "400 invalid_request"),
        Refusal(left: ["Connection"], error: "400 invalid_request"),
        Refusal(left: ["Upgrade"], error: "426 upgrade_required", header: "upgrade"),
        Refusal(fields: ["Upgrade": "h2c"], error: "426 upgrade_required"),
        Refusal(fields: ["Content-Length": "2"], error: "400 invalid_request"),
    ])
    func `an invalid handshake is refused with a status and a JSON error`(refusal: Refusal) async throws {
        try await server.run { caller in
            let client = try await caller.connect()
            var text = SocketClient.handshake(NativePath.socket, refusal.fields, leaving: refusal.left)
            if refusal.fields["Content-Length"] != nil { text += "{}" }
            await client.write(text)
            let answer = try await client.answer()
            let body = try JSONDecoder().decode(ErrorBody.self, from: Data(answer.body.utf8))
            #expect("\(answer.status) \(body.error)" == refusal.error)
            #expect(body.requestID != nil)
            #expect(answer.headers["cache-control"] == "no-store")
            if let header = refusal.header { #expect(answer.headers[header] != nil) }
            // NIO's decoder reads nothing behind an Upgrade, so the connection ends, and says so.
            guard !refusal.left.contains("Connection"), !refusal.left.contains("Upgrade") else { return }
            #expect(answer.headers["connection"]?.contains("close") == true)
            #expect(await client.rest() == [])
            #expect(caller.sockets.principals.isEmpty)
        }
    }

    @Test func `a handshake with an expired token is refused with 401`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            server.advance(by: .seconds(601))
            let answer = try await caller.connect()
                .open(NativePath.socket, ["Authorization": "Bearer \(grant.accessToken)"])
            #expect(answer.status == 401)
            #expect(answer.headers["www-authenticate"]?.contains("invalid_token") == true)
        }
    }

    @Test func `a handshake with the token of an ended session is refused with 401`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            #expect(try await caller.present(NativePath.logout, grant.refreshToken).status == 204)
            let answer = try await caller.connect()
                .open(NativePath.socket, ["Authorization": "Bearer \(grant.accessToken)"])
            #expect(answer.status == 401)
        }
    }

    @Test func `a handshake from a browser is accepted only from an allowed origin`() async throws {
        var configuration = server.configuration
        configuration.allowedOrigins = ["https://app.example.com"]
        try await server.run(configuration) { caller in
            let token = try await caller.signUp().accessToken
            for (origin, status) in [("https://app.example.com", 101), ("http://app.example.com", 403)] {
                let answer = try await caller.connect()
                    .open(NativePath.socket, ["Authorization": "Bearer \(token)", "Origin": origin])
                #expect(answer.status == status)
            }
        }
    }

    @Test func `a handshake ignores a token in the query, and the token is not logged`() async throws {
        try await server.run { caller in
            let token = try await caller.signUp().accessToken
            let client = try await caller.connect()
            let path = "\(NativePath.socket)?access_token=\(token)&token=\(token)"
            #expect(try await client.open(path).status == 101)
            #expect(caller.sockets.principals.isEmpty)
            #expect(!caller.log.lines.description.contains(token))
        }
    }

    @Test func `an HTTP 1.0 handshake is refused with 426, and the connection is closed`() async throws {
        try await server.run { caller in
            let client = try await caller.connect()
            let text = SocketClient.handshake(NativePath.socket)
            await client.write(text.replacing("HTTP/1.1", with: "HTTP/1.0"))
            #expect(try await client.answer().status == 426)
            #expect(await client.rest() == [])
        }
    }

    @Test func `a handshake is accepted after other requests on the same connection`() async throws {
        try await server.run { caller in
            let token = try await caller.signUp().accessToken
            let client = try await caller.connect()
            for path in [NativePath.live, NativePath.socket, "/nowhere"] {
                await client.write("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                let answer = try await client.answer()
                #expect(answer.headers["connection"]?.contains("close") != true)
            }
            let answer = try await client.open(NativePath.socket, ["Authorization": "Bearer \(token)"])
            #expect(answer.status == 101)
            #expect(await client.next().value("type") == .string("ready"))
        }
    }

    @Test func `a pipelined handshake gets 101, or 503 with Retry-After, after the previous response`() async throws {
        try await server.run { caller in
            let token = try await caller.signUp().accessToken
            let client = try await caller.connect()
            await client.write(
                "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n"
                    + SocketClient.handshake(NativePath.socket, ["Authorization": "Bearer \(token)"])
            )
            #expect(try await client.answer().status == 200)
            let answer = try await client.answer()
            #expect(answer.status == 503 || answer.status == 101)
            if answer.status == 503 { #expect(answer.headers["retry-after"] == "1") }
        }
    }

    @Test func `a handshake for another path is processed as an ordinary request`() async throws {
        try await server.run { caller in
            for (path, status) in [(NativePath.live, 200), ("/nowhere", 404)] {
                let client = try await caller.connect()
                let answer = try await client.open(path)
                #expect(answer.status == status)
                #expect(await client.rest() == [])
            }
        }
    }

    @Test func `the socket's path responds to ordinary requests with 426 or 405`() async throws {
        try await server.run { caller in
            let plain = try await caller.send(.get, NativePath.socket, headers: [:])
            #expect(plain.error == "426 upgrade_required")
            #expect(plain.headers[.upgrade] == "websocket")
            #expect(try await caller.send(.head, NativePath.socket, headers: [:]).status == 426)
            #expect(try await caller.send(.post, NativePath.socket, "{}").error == "405 method_not_allowed")
        }
    }

    @Test func `an incomplete handshake gets 408 after the head timeout, and the connection is closed`() async throws {
        var configuration = server.configuration
        configuration.limits.headTimeout = .milliseconds(200)
        try await server.run(configuration) { caller in
            let client = try await caller.connect()
            await client.write("GET \(NativePath.socket) HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n")
            let answer = try await client.answer()
            #expect(answer.status == 408)
            #expect(answer.body.contains("request_timeout"))
            #expect(await client.rest() == [])
        }
    }

    @Test func `a handshake with oversized header fields is refused with 431`() async throws {
        try await server.run { caller in
            let client = try await caller.connect()
            let answer = try await client.open(NativePath.socket, ["X-Large": String(repeating: "x", count: 17_000)])
            #expect(answer.status == 431)
        }
    }
}
