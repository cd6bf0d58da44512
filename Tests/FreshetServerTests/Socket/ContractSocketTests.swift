// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetContractServer
@testable import FreshetHTTP
@testable import FreshetServer
@testable import FreshetSystem

/// Sockets as apps' own clients know them.
@Suite(.timeLimit(.minutes(5)))
struct `A contract's socket` {
    let server = ServerUnderTest()

    /// The preset of BitBasel, as it comes with the SDK.
    private static func bitbasel() throws -> ServedContract {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Client/FreshetKit/Contract/presets/bitbasel.json")
        return try ServedContract(text: try String(contentsOf: file, encoding: .utf8))
    }

    /// An app of ordinary shape with a socket.
    private static func wharf(_ socket: String, rules: String = "[]") throws -> ServedContract {
        let text = ContractFixture.wharf.replacing(
            #""server": {"#,
            with: #""socket": \#(socket), "classify": \#(rules), "server": {"#
        )
        return try ServedContract(text: text)
    }

    private static let account = #"{"email":"ann@example.com","password":"correct horse"}"#

    /// Signs in with BitBasel's e-mail code.
    private func signIn(_ caller: TestHTTPClient) async throws -> (access: String, refresh: String) {
        let codes = caller.log.lines.count
        _ = try await caller.post("/auth/code", json: #"{"email":"ann@example.com"}"#)
        let line = try #require(caller.log.lines.dropFirst(codes).last { $0["code"] != nil })
        let code = try #require(line["code"])
        let grant = try await caller.post("/auth/code/verify", json: #"{"email":"ann@example.com","code":"\#(code)"}"#)
        return (try #require(grant["/access_token"]), try #require(grant["/refresh_token"]))
    }

    // MARK: - BitBasel

    @Test func `a socket of BitBasel accepts the token in the query, and sends only published messages`() async throws {
        try await server.run(server.configuration(try Self.bitbasel())) { caller async throws in
            let token = try await signIn(caller).access
            let client = try await caller.socket(at: "/ws/feed?token=\(token)")
            #expect(await caller.sockets.publish(.text("post 1"), to: .all) == DeliveryReport(addressed: 1, written: 1))
            #expect(await client.next() == .text("post 1"))
            #expect(caller.sockets.principals.map(\.contract) == ["bitbasel"])
            #expect(!caller.log.lines.description.contains(token))
            #expect(!caller.log.lines.description.contains(/eyJ[\w-]+\.eyJ/))
        }
    }

    @Test func `a socket of BitBasel without a valid token in the query is refused with the app's message`()
        async throws
    {
        try await server.run(server.configuration(try Self.bitbasel())) { caller async throws in
            let token = try await signIn(caller).access
            let attempts: [(String, [String: String])] = [
                ("/ws/feed", [:]), ("/ws/feed?token=", [:]), ("/ws/feed?token=nonsense", [:]),
                // It is a query or nothing: the contract says so.
                ("/ws/feed", ["Authorization": "Bearer \(token)"]),
                ("/ws/feed", ["Sec-WebSocket-Protocol": "bearer.\(token)"]),
            ]
            for (path, fields) in attempts {
                let answer = try await caller.connect().open(path, fields)
                #expect(answer.status == 403)
                #expect(answer.body.hasPrefix(#"{"detail":"#))
                #expect(answer.headers["content-type"] == "application/json")
            }
            server.advance(by: .seconds(1801))
            #expect(try await caller.connect().open("/ws/feed?token=\(token)").status == 403)
            let twice = try await caller.connect().open("/ws/feed?token=\(token)&token=\(token)")
            #expect(twice.status == 422)
            #expect(!caller.log.lines.description.contains(token))
        }
    }

    @Test func `a socket of BitBasel is closed when the token expires, and opens again with a new token`() async throws
    {
        var contract = try Self.bitbasel()
        contract.setLifetimes(access: .seconds(1), idle: nil, absolute: nil)
        try await server.run(server.configuration(contract)) { caller async throws in
            let (access, refresh) = try await signIn(caller)
            let client = try await caller.socket(at: "/ws/feed?token=\(access)")
            server.advance(by: .seconds(2))
            #expect(await client.rest() == [.close(1008, "expired")])
            #expect(try await caller.connect().open("/ws/feed?token=\(access)").status == 403)
            let renewed = try await caller.post("/auth/refresh", json: #"{"refresh_token":"\#(refresh)"}"#)
            _ = try await caller.socket(at: "/ws/feed?token=\(try #require(renewed["/access_token"]))")
        }
    }

    @Test func `a socket of BitBasel is closed without a session_ended message when the session ends`() async throws {
        try await server.run(server.configuration(try Self.bitbasel())) { caller async throws in
            let (access, refresh) = try await signIn(caller)
            let client = try await caller.socket(at: "/ws/feed?token=\(access)")
            #expect(try await caller.present(NativePath.logout, refresh).status == 204)
            #expect(await client.rest() == [.close(1008, "logout")])
            #expect(try await caller.connect().open("/ws/feed?token=\(access)").status == 403)
        }
    }

    @Test func `the socket of a contract without renewal ignores an auth message`() async throws {
        try await server.run(server.configuration(try Self.bitbasel())) { caller async throws in
            let client = try await caller.socket(at: "/ws/feed?token=\(try await signIn(caller).access)")
            // Its contract knows no renewal by message.
            await client.say(#"{"type":"auth","access_token":"nonsense"}"#)
            _ = await caller.sockets.publish(.text("next"), to: .all)
            #expect(await client.next() == .text("next"))
        }
    }

    // MARK: - Other shapes

    @Test func `a contract's socket accepts the token in the first message and new tokens in later messages`()
        async throws
    {
        let message = #"{"message":{"op":"login","data":{"jwt":"$access_token"}}}"#
        let rules = #"[{"on":"socket","close":[4001,4003],"outcome":"accessExpired"}]"#
        let contract = try Self.wharf(#"{"path":"/live","token":\#(message),"renewal":\#(message)}"#, rules: rules)
        try await server.run(server.configuration(contract)) { caller async throws in
            let grant = try await caller.post("/signup", json: Self.account)
            let (token, refresh) = (try #require(grant["/access_token"]), try #require(grant["/refresh_token"]))
            let client = try await caller.connect()
            #expect(try await client.open("/live").status == 101)
            let messages = caller.log.messagesFromNow()
            await client.say(#"{"op":"login","data":{"jwt":"\#(token)"},"more":1}"#)
            for await message in messages where message == "socket opened" { break }
            server.advance(by: .seconds(200))
            let renewed = try await caller.post("/refresh", json: #"{"refresh_token":"\#(refresh)"}"#)
            let other = try await caller.post("/login", json: Self.account)
            await client.say(#"{"op":"login","data":{"jwt":"\#(try #require(renewed["/access_token"]))"}}"#)
            _ = await caller.sockets.publish(.text("news"), to: .all)
            #expect(await client.next() == .text("news"))
            // Another session's token: no code of the contract's means that.
            await client.say(#"{"op":"login","data":{"jwt":"\#(try #require(other["/access_token"]))"}}"#)
            #expect(await client.rest() == [.close(1008, "other_session")])

            let stranger = try await caller.connect()
            #expect(try await stranger.open("/live").status == 101)
            await stranger.say("hello")
            #expect(await stranger.rest() == [.close(4001, "invalid_token")])
        }
    }

    @Test func `a contract's socket accepts the token in a custom header or in a subprotocol`() async throws {
        let shapes: [(String, @Sendable (String) -> [String: String])] = [
            (#"{"header":"X-Token","scheme":""}"#, { ["X-Token": $0] }),
            (#"{"subprotocol":"jwt-$access_token"}"#, { ["Sec-WebSocket-Protocol": "jwt-\($0), chat"] }),
        ]
        for (place, fields) in shapes {
            let server = ServerUnderTest()
            let contract = try Self.wharf(#"{"path":"/live","token":\#(place)}"#)
            try await server.run(server.configuration(contract)) { caller async throws in
                let token = try #require(try await caller.post("/signup", json: Self.account)["/access_token"])
                let client = try await caller.connect()
                let answer = try await client.open("/live", fields(token))
                #expect(answer.status == 101)
                #expect(answer.headers["sec-websocket-protocol"] == (place.contains("subprotocol") ? "chat" : nil))
                // Without a rule for sockets it is refused as everywhere in this app.
                let refused = try await caller.connect().open("/live", fields("nonsense"))
                #expect(refused.status == 401)
                #expect(refused.body.contains(#""fault":"expired""#))
                let page = try await caller.connect().open("/live", fields(token).merging(["Origin": "x"]) { $1 })
                #expect(page.status == 403)
            }
        }
    }

    @Test func `a contract's socket is under the contract's prefix, beside the native one`() async throws {
        var contract = try Self.bitbasel()
        contract.prefix = "/bb"
        try await server.run(server.configuration(contract)) { caller async throws in
            let token = try await caller.signUp().accessToken
            // Access tokens are good at every door.
            _ = try await caller.socket(at: "/bb/ws/feed?token=\(token)")
            _ = try await caller.socket(token)
            #expect(try await caller.connect().open("/ws/feed?token=\(token)").status == 404)
            let plain = try await caller.get("/bb/ws/feed", bearer: nil)
            #expect(plain.status == 426 && plain["/detail"] != nil)
        }
    }

    @Test func `a contract whose socket shares a path with another endpoint is refused`() throws {
        let contract = try Self.wharf(#"{"path":"/me","token":{"query":"t"}}"#)
        #expect(throws: ServedContractError.self) {
            _ = try TokenServer(server.configuration(contract), log: server.log.logger)
        }
        let native = try Self.wharf(#"{"path":"/v1/socket","token":{"query":"t"}}"#)
        #expect(throws: ServedContractError.self) {
            _ = try TokenServer(server.configuration(native), log: server.log.logger)
        }
    }
}
