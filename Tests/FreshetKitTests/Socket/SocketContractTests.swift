// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where a contract puts the token, and what it makes of answers and close codes.
@Suite struct `Socket contract` {
    static let token = AccessToken(value: "s3cret-text", expiresAt: .distantFuture, sessionID: "s")

    static func contract(_ place: String, renewal: String = #""reconnect""#, rules: String...) throws -> Contract {
        try .native(socket: #"{"path": "/ws/feed", "token": \#(place), "renewal": \#(renewal)}"#, rules: rules)
    }

    static func request(
        _ contract: Contract,
        _ url: String? = nil,
        protocols: [String] = [],
        base: String = "https://api.example.com",
        _ adjust: (inout AuthSession.Configuration) -> Void = { _ in }
    ) throws -> SocketRequest {
        var configuration = AuthSession.Configuration()
        adjust(&configuration)
        let base = try Fixtures.url(base)
        return try SocketRequest(
            url.map { try Fixtures.url($0) },
            contract: contract,
            baseURL: base,
            values: configuration.contractValues.templateValues(for: contract),
            origins: configuration.permittedOrigins(base, contract),
            protocols: protocols
        )
    }

    // MARK: The token's place

    @Test func `an access token in the query is appended to the existing query items`() throws {
        let contract = try Self.contract(#"{"query": "token"}"#)
        let own = try Self.request(contract).handshake(with: Self.token)
        #expect(own.request.url?.absoluteString == "wss://api.example.com/ws/feed?token=s3cret-text")
        #expect(own.request.allHTTPHeaderFields?.isEmpty ?? true)
        let other = try Self.request(contract, "wss://api.example.com/x?room=a%20b").handshake(with: Self.token)
        #expect(other.request.url?.absoluteString == "wss://api.example.com/x?room=a%20b&token=s3cret-text")
    }

    @Test func `the access token is sent in the header and with the scheme of the contract`() throws {
        let contract = try Self.contract(#"{"header": "X-Auth", "scheme": "Token"}"#)
        let opening = try Self.request(contract).handshake(with: Self.token)
        #expect(opening.request.allHTTPHeaderFields == ["X-Auth": "Token s3cret-text"])
    }

    @Test func `the access token is sent as a subprotocol, and an invalid subprotocol is an error`() throws {
        let contract = try Self.contract(#"{"subprotocol": "bearer.$access_token"}"#)
        let opening = try Self.request(contract, protocols: ["feed.v1"]).handshake(with: Self.token)
        #expect(opening.protocols == ["feed.v1", "bearer.s3cret-text"])
        #expect(throws: ContractFault.self) {
            try Self.request(contract, protocols: ["a b"]).handshake(with: Self.token)
        }
    }

    @Test func `the access token is sent in the first message and not in a header`() throws {
        let contract = try Self.contract(#"{"message": {"type": "auth", "access_token": "$access_token"}}"#)
        let opening = try Self.request(contract).handshake(with: Self.token)
        #expect(opening.firstMessage == .text(#"{"access_token":"s3cret-text","type":"auth"}"#))
        #expect(opening.request.allHTTPHeaderFields?.isEmpty ?? true)
    }

    @Test func `without a socket in the contract, the access token is sent in the Authorization header`() throws {
        let none = try Contract.native(socket: nil)
        let opening = try Self.request(none, "wss://api.example.com/feed").handshake(with: Self.token)
        #expect(opening.request.allHTTPHeaderFields == ["Authorization": "Bearer s3cret-text"])
        #expect(opening.request.url?.absoluteString == "wss://api.example.com/feed")
        #expect(throws: SessionError.self) { try Self.request(none) }
    }

    @Test func `every preset contract with a socket creates a handshake request with the scheme wss`() throws {
        for name in Contract.presets {
            let contract = try Contract.named(name)
            guard contract.document.socket != nil else { continue }
            let request = try Self.request(contract) { configuration in
                for name in contract.document.variables.keys { configuration.contractValues[name] = "x" }
            }
            let opening = try request.handshake(with: Self.token)
            #expect(opening.request.url?.scheme == "wss")
        }
    }

    // MARK: Who may see it

    @Test(arguments: [
        "wss://evil.example.com/feed", "ws://api.example.com/feed", "wss://api.example.com:8443/feed",
        "ftp://api.example.com/feed", "wss:///feed", "wss://user@api.example.com/feed",
    ]) func `a socket URL with another origin or a user name is refused`(url: String) throws {
        #expect(throws: SessionError.self) { try Self.request(.freshet, url) }
    }

    @Test func `a socket URL with an additional host or localhost is permitted`() throws {
        let request = try Self.request(.freshet, "wss://push.example.com/feed") {
            $0.additionalHosts = ["push.example.com"]
        }
        #expect(request.url.absoluteString == "wss://push.example.com/feed")
        let local = try Self.request(.freshet, "http://localhost:8001/feed#part", base: "http://localhost:8001")
        #expect(local.url.absoluteString == "ws://localhost:8001/feed")
    }

    // MARK: Answers and close codes

    func classifier(_ rules: String...) throws -> SocketClassifier {
        let shape = #"{"path": "/ws/feed", "token": {"query": "token"}, "renewal": "reconnect"}"#
        return SocketClassifier(try .native(socket: shape, rules: rules), isBaseOrigin: true)
    }

    @Test(arguments: [
        (401, Outcome.accessExpired), (403, .forbidden), (404, .transient(retryAfter: nil)),
        (302, .transient(retryAfter: nil)), (200, .transient(retryAfter: nil)), (500, .transient(retryAfter: nil)),
        (429, .throttled(retryAfter: nil)),
    ]) func `a refused handshake has the outcome of its HTTP status`(status: Int, outcome: Outcome) throws {
        let failure = try classifier().failure(WebSocketError.refused(WebSocketRefusal(status: status)))
        #expect(failure.outcome == outcome)
        #expect(failure.interruption == .refused(status: status))
    }

    @Test(arguments: [
        (1000, Outcome.transient(retryAfter: nil)), (1001, .transient(retryAfter: nil)),
        (1005, .transient(retryAfter: nil)), (1008, .accessExpired), (1011, .transient(retryAfter: nil)),
        (1012, .transient(retryAfter: nil)), (3000, .accessExpired), (3003, .forbidden),
        (4001, .transient(retryAfter: nil)), (4401, .accessExpired), (4403, .accessExpired),
    ]) func `a close code without a contract rule has its conventional outcome`(code: Int, outcome: Outcome) throws {
        #expect(try classifier().failure(WebSocketError.closed(code: code)).outcome == outcome)
    }

    @Test func `the contract's rules for close codes take precedence over the defaults`() throws {
        let classifier = try classifier(
            #"{"on": "socket", "close": 4001, "outcome": "accessExpired"}"#,
            #"{"on": "socket", "close": ["4002-4004"], "outcome": "sessionEnded", "reason": "revoked"}"#,
            #"{"on": "socket", "close": 1008, "outcome": "forbidden"}"#
        )
        #expect(classifier.outcome(ofClose: 4001) == .accessExpired)
        #expect(classifier.outcome(ofClose: 4003) == .sessionEnded(.revoked))
        #expect(classifier.outcome(ofClose: 1008) == .forbidden)
    }

    @Test func `a transport without WebSockets is a fault, and an unknown error is a lost connection`() throws {
        let failure = try classifier().failure(WebSocketError.unsupported("no WebSockets on this system"))
        #expect(SocketCloseReason(failure) == .fault("no WebSockets on this system"))
        #expect(try classifier().failure(URLError(.badURL)) == .lost)
    }

    // MARK: Secrets

    @Test func `descriptions and dumps of sockets, messages and errors do not contain the access token`() async throws {
        let bench = try await SocketFixture()
        let rules = #"{"on": "socket", "status": 400, "outcome": "misconfigured"}"#
        let contract = try Self.contract(#"{"query": "token"}"#, rules: rules)
        let session = try AuthSession(
            contract: contract,
            baseURL: Fixtures.base(),
            store: InMemoryStore(),
            transport: bench.backend,
            clock: bench.clock
        )
        try await session.signIn(.test)
        let socket = try session.socket(configuration: .quiet, transport: bench.transport)
        await socket.connect()
        let handshake = try await bench.transport.next()
        let token = try await session.accessToken().value
        #expect(handshake.queryItem("token") == token)
        handshake.refuse(400, headers: ["Content-Type": "application/json"], body: #"{"error":"bad \#(token)"}"#)
        let end = try #require(await socket.untilClosed())
        #expect(end == .fault("400 bad •••"))
        var shown = ""
        dump(socket.state, to: &shown)
        print(socket, socket.state, socket.messages, end, to: &shown)
        #expect(!shown.contains(token))
        let secret = Self.token.value
        var dumped = ""
        let needs: [Any] = [
            SocketTokenRequirement.replacing(Self.token, isBaseOrigin: true), WebSocketMessage.text(secret),
            WebSocketRefusal(status: 401, headers: ["X": secret], body: Data(secret.utf8)),
            SocketMessage(.text(secret), connection: 1),
            WebSocketError.refused(WebSocketRefusal(status: 401, body: Data(secret.utf8))),
        ]
        for need in needs {
            dump(need, to: &dumped)
            debugPrint(need, "\(need)", to: &dumped)
        }
        #expect(!dumped.contains(secret))
    }
}
