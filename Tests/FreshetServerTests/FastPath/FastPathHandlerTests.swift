// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetHTTP
@testable import FreshetServer

/// The fast path handler on a connection of its own, with real sessions; a recorder replaces the router.
@Suite(.timeLimit(.minutes(5)))
struct `The fast path over HTTP parts` {
    let server = ServerUnderTest()

    private func fastPath(_ parts: ServerParts) -> FastPathResponder {
        FastPathResponder(
            sessions: parts.sessions,
            bearer: parts.bearer,
            bodyLimit: parts.configuration.limits.bodyBytes,
            envelope: RequestEnvelope(
                trustsRequestID: false,
                proxies: [],
                admission: parts.admission,
                metrics: RequestMetrics(parts.metrics),
                log: server.log.logger
            )
        )
    }

    private func connection(_ fastPath: FastPathResponder) async throws -> NIOAsyncTestingChannel {
        let channel = NIOAsyncTestingChannel()
        try await channel.testingEventLoop.executeInContext {
            try channel.pipeline.syncOperations.addHandler(FastPathHandler(fastPath))
        }
        try await channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1))
        return channel
    }

    private func parts(_ body: String, type: String = "application/json", path: String = NativePath.refresh)
        -> [HTTPRequestPart]
    {
        let fields: HTTPFields = [.contentType: type, .contentLength: "\(body.utf8.count)"]
        let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: path, headerFields: fields)
        return [.head(head), .body(ByteBuffer(string: body)), .end(nil)]
    }

    private func write(_ parts: [HTTPRequestPart], to channel: NIOAsyncTestingChannel) async throws {
        for part in parts { try await channel.writeInbound(part) }
    }

    /// The status and the body of the next answer.
    private func answer(of channel: NIOAsyncTestingChannel) async throws -> (Int, String) {
        var status = 0
        var body = ""
        while true {
            switch try await channel.waitForOutboundWrite(as: HTTPResponsePart.self) {
            case .head(let head): status = head.status.code
            case .body(let part): body += String(buffer: part)
            case .end: return (status, body)
            }
        }
    }

    private func body(_ token: String) -> String {
        #"{"refresh_token":"\#(token)","intent":"\#(Intent.random().text)"}"#
    }

    @Test func `the fast path responds to a refresh, and the router receives no part of the request`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let channel = try await connection(fastPath(caller.parts))
            try await write(parts(body(grant.refreshToken)), to: channel)
            let (status, text) = try await answer(of: channel)
            #expect(status == 200)
            #expect(text.contains(#""session_id":"\#(grant.sessionID)""#))
            #expect(try await channel.readInbound(as: HTTPRequestPart.self) == nil)
            // The place is given back behind the answer.
            try await channel.testingEventLoop.executeInContext {}
            #expect(caller.parts.admission.requests == 0)
            _ = try await channel.finish()
        }
    }

    @Test func `the fast path accepts only requests with the usual method, path and header fields`() async throws {
        try await server.run { caller in
            let fastPath = fastPath(caller.parts)
            func takes(_ fields: HTTPFields, _ method: HTTPRequest.Method = .post, _ path: String = "/v1/refresh")
                -> Bool
            {
                fastPath.answers(
                    HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: fields)
                )
            }
            let fields: HTTPFields = [.contentType: "application/json", .contentLength: "90"]
            #expect(takes(fields) && takes(fields, .post, "/v1/confirm"))
            #expect(takes(fields + [.connection: "Keep-Alive", .userAgent: "x"]))
            #expect(
                !takes(fields, .get) && !takes(fields, .post, "/v1/refresh?x") && !takes(fields, .post, "/v1/logout")
            )
            let unusual: [HTTPFields] = [
                [.connection: "close"], [.expect: "100-continue"], [.transferEncoding: "chunked"], [.upgrade: "x"],
                [.contentType: "application/json"], [.contentType: "text/plain"], [.contentLength: "90"],
            ]
            for field in unusual { #expect(!takes(fields + field), "\(field)") }
            for type in ["application/json; charset=utf-8", "text/plain"] {
                #expect(!takes([.contentType: type, .contentLength: "90"]))
            }
            for length in ["0", "-1", "x", "\(fastPath.bodyLimit + 1)"] {
                #expect(!takes([.contentType: "application/json", .contentLength: length]))
            }
            #expect(!takes([.contentType: "application/json"]))
            let bearer: HTTPFields = [.authorization: "Bearer x"]
            for others in [[:], [.contentType: "application/json"], [.connection: "keep-alive"]] as [HTTPFields] {
                #expect(takes(bearer + others, .get, "/v1/me"))
            }
            for others in [
                [.contentLength: "0"], [.contentLength: "3"], [.transferEncoding: "chunked"], [.connection: "close"],
            ] as [HTTPFields] { #expect(!takes(bearer + others, .get, "/v1/me"), "\(others)") }
            #expect(
                !takes(bearer, .head, "/v1/me") && !takes(bearer, .post, "/v1/me") && !takes(bearer, .get, "/v1/me?")
            )
        }
    }

    @Test func `a request with an unexpected body is passed to the router, with its head`() async throws {
        try await server.run { caller in
            let channel = try await connection(fastPath(caller.parts))
            let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: NativePath.me)
            let parts: [HTTPRequestPart] = [.head(head), .body(ByteBuffer(string: "x")), .end(nil)]
            try await write(parts, to: channel)
            var came: [HTTPRequestPart] = []
            while let part = try await channel.readInbound(as: HTTPRequestPart.self) { came.append(part) }
            #expect(came == parts)
            _ = try await channel.finish()
        }
    }

    @Test func `a request on a connection that is not writable is passed to the router`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let channel = try await connection(fastPath(caller.parts))
            channel.isWritable = false
            let parts = parts(body(grant.refreshToken))
            try await write(parts, to: channel)
            var came: [HTTPRequestPart] = []
            while let part = try await channel.readInbound(as: HTTPRequestPart.self) { came.append(part) }
            #expect(came == parts)
            _ = try await channel.finish()
        }
    }

    @Test func `the fast path accepts no request after the output is closed`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let channel = try await connection(fastPath(caller.parts))
            try await channel.testingEventLoop.executeInContext {
                channel.pipeline.close(mode: .output, promise: nil)
            }
            let parts = parts(body(grant.refreshToken))
            try await channel.testingEventLoop.executeInContext {
                for part in parts { channel.pipeline.fireChannelRead(part) }
            }
            #expect(try await channel.readOutbound(as: HTTPResponsePart.self) == nil)
            let current = try await caller.database.read { try SessionTable.find(grant.sessionID, in: $0)?.rotation }
            #expect(current?.current == 0 && current?.intent == nil)
            // A closed channel lets its handlers go, and all behind them, in the loop's next turn.
            await channel.testingEventLoop.run()
        }
    }

    @Test(arguments: [
        "", "[]", #"{"refresh_token":1}"#, #"{"intent":"x"}"#, #"{"refresh_token":"frt_x"}"#,
        "{\"refresh_token\":\"\\u0066\"}",
    ])
    func `a body that is not a usual refresh request is passed to the router unchanged`(text: String) async throws {
        try await server.run { caller in
            let channel = try await connection(fastPath(caller.parts))
            let parts = parts(text)
            try await write(parts, to: channel)
            var came: [HTTPRequestPart] = []
            while let part = try await channel.readInbound(as: HTTPRequestPart.self) { came.append(part) }
            #expect(came == parts)
            #expect(caller.parts.admission.requests == 0)
            _ = try await channel.finish()
        }
    }

    @Test func `pipelined requests keep their order between the fast path and the router`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let channel = try await connection(fastPath(caller.parts))
            let intent = Intent.random().text
            let refresh = parts(#"{"refresh_token":"\#(grant.refreshToken)","intent":"\#(intent)"}"#)
            let other = parts("{}", path: NativePath.confirm)
            try await write(refresh + refresh + other + refresh, to: channel)
            let first = try await answer(of: channel)
            let second = try await answer(of: channel)
            #expect(first.0 == 200 && second.0 == 200)
            let successors = try [first.1, second.1].map { try JSONGrant.successor($0) }
            #expect(successors[0] == successors[1])
            var came: [HTTPRequestPart] = []
            while came.count < 6 { came.append(try await channel.waitForInboundWrite(as: HTTPRequestPart.self)) }
            #expect(came == other + refresh)
            _ = try await channel.finish()
        }
    }

    @Test func `a client that has closed its sending side still gets all its responses`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let channel = try await connection(fastPath(caller.parts))
            let ends = EndOfInput()
            try await channel.testingEventLoop.executeInContext {
                try channel.pipeline.syncOperations.addHandler(ends)
            }
            // The second is refused at once, and the third is the router's.
            let badIntent = #"{"refresh_token":"\#(grant.refreshToken)","intent":"no intent"}"#
            let parts =
                parts(body(grant.refreshToken)) + parts(badIntent) + parts("{}", path: NativePath.logout)
            try await channel.testingEventLoop.executeInContext {
                for part in parts { channel.pipeline.fireChannelRead(part) }
                channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
                #expect(!ends.hasCome)
            }
            #expect(try await answer(of: channel).0 == 200)
            #expect(try await answer(of: channel).0 == 400)
            try await channel.testingEventLoop.executeInContext {}
            let (count, hasCome) = try await channel.testingEventLoop.executeInContext { (ends.parts, ends.hasCome) }
            #expect(count == 3 && hasCome)
            _ = try await channel.finish()
        }
    }
}

/// Notes the end of the client's half.
private final class EndOfInput: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTPRequestPart

    /// Touched on the event loop alone.
    private(set) var hasCome = false
    /// How much came before it.
    private(set) var parts = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { if !hasCome { parts += 1 } }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed = event as? ChannelEvent { hasCome = true }
    }
}

private enum JSONGrant {
    static func successor(_ text: String) throws -> String {
        try #require(text.firstMatch(of: /"refresh_token":"([^"]+)"/).map { String($0.1) })
    }
}
