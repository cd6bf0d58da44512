// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import NIOConcurrencyHelpers
import ServerFixtures
import Testing

@testable import FreshetContractServer
@testable import FreshetDatabase
@testable import FreshetHTTP
@testable import FreshetIdentity
@testable import FreshetMetrics
@testable import FreshetServer

/// A way in which a refresh reaches the server.
enum RequestWay: String, CaseIterable, Sendable {
    /// The bytes of an HTTP/1.1 connection, on the fast path.
    case direct
    /// The parts of NIO's decoder, on the fast path.
    case parts
    case router
    /// A stream of HTTP/2, on the fast path.
    case http2
    /// A stream of HTTP/2, by the router.
    case http2Router
    /// The OAuth endpoint.
    case oauthToken
    /// The refresh endpoint of a served contract.
    case contract

    static let plain: [RequestWay] = [.direct, .parts, .router, .oauthToken, .contract]
    static let encrypted: [RequestWay] = [.http2, .http2Router]

    /// The path as it is registered, and sent.
    var path: String {
        switch self {
        case .direct, .parts, .router, .http2, .http2Router: NativePath.refresh
        case .oauthToken: "/oauth/token"
        case .contract: "/refresh"
        }
    }

    /// The entry to the fast path, for the metrics; `nil` if the router answers.
    var entry: FastPathEntry? {
        switch self {
        case .direct: .direct
        case .parts, .http2: .parts
        case .router, .http2Router, .oauthToken, .contract: nil
        }
    }

    /// The media type; a parameter keeps a request off the fast path.
    var mediaType: String {
        switch self {
        case .direct, .parts, .http2, .contract: "application/json"
        case .router, .http2Router: "application/json; charset=utf-8"
        case .oauthToken: "application/x-www-form-urlencoded"
        }
    }

    /// The body of a refresh.
    func body(_ token: String) -> String {
        switch self {
        case .oauthToken: "grant_type=refresh_token&refresh_token=\(token)"
        case .contract: #"{"refresh_token":"\#(token)"}"#
        default: #"{"refresh_token":"\#(token)","intent":"\#(Intent.random().text)"}"#
        }
    }
}

/// Every way applies `RequestEnvelope`: a step that one way leaves out fails here.
@Suite(.timeLimit(.minutes(5)))
struct `Every way to the server` {
    let server = ServerUnderTest()

    /// A client of one way, with the refresh token of a session that may be refreshed there.
    struct Client: Sendable {
        let way: RequestWay
        let caller: TestHTTPClient
        let certificate: TLSFiles?
        let server: ServerUnderTest
        var token: String

        /// Sends a refresh.
        func refresh(_ fields: [(String, String)] = []) async throws -> TestHTTPClient.Answer {
            let body = way.body(token)
            switch way {
            case .direct:
                let lines =
                    [
                        "POST \(way.path) HTTP/1.1", "Host: localhost", "Content-Type: \(way.mediaType)",
                        "Content-Length: \(body.utf8.count)",
                    ] + fields.map { "\($0): \($1)" }
                let text = lines.joined(separator: "\r\n") + "\r\n\r\n" + body
                let port = try #require(caller.port)
                return try .init(response: try await RawConnection.exchange(text, port: port, hangsUp: true))
            case .http2, .http2Router:
                let headers = [("Content-Type", way.mediaType)] + fields
                let options = ["--http2", "-d", body] + headers.flatMap { ["-H", "\($0): \($1)"] }
                let files = try #require(certificate)
                let answer = try await server.curl(caller, way.path, trusting: files, options)
                #expect(answer.output.hasPrefix("HTTP/2 "))
                return try .init(response: answer.output)
            case .parts, .router, .oauthToken, .contract:
                var headers: HTTPFields = [.contentType: way.mediaType]
                // After another request, the connection's fast path has its requests from NIO's decoder.
                if way == .parts { _ = try await caller.send(.get, NativePath.live) }
                for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
                return try await caller.send(.post, way.path, body, headers: headers)
            }
        }

        /// The value of a metric; 0 if there is none.
        func metric(_ series: String) -> Int {
            let line = caller.parts.metrics.text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
            return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
        }

        func responses(_ statusClass: String) -> Int {
            metric(#"freshet_http_requests_total{route="\#(way.path)",status="\#(statusClass)"}"#)
        }

        /// The requests that the fast path took, by entry.
        var fastPath: [FastPathEntry: Int] {
            let series = FastPathEntry.allCases.map {
                ($0, metric(#"freshet_lane_requests_total{route="\#(way.path)",way="\#($0.rawValue)"}"#))
            }
            return Dictionary(uniqueKeysWithValues: series)
        }
    }

    /// Runs a plain server, and one with a certificate if the machine can make one, and calls `body` once for each way.
    private func forEachWay(
        configure: @Sendable (inout ServerConfiguration) -> Void,
        _ body: @Sendable (Client) async throws -> Void
    ) async throws {
        let contract = try ServedContract(text: ContractFixture.wharf)
        let account = #"{"email":"ann@example.com","password":"correct horse"}"#
        let tokens = TokenBox()
        try await server.run(server.configuration(contract)) { caller in
            _ = try await caller.signUp()
            for way in RequestWay.allCases {
                switch way {
                case .contract, .oauthToken:
                    let reply = try await caller.post("/login", json: account)
                    tokens[way] = reply["/refresh_token"]
                default: tokens[way] = try await caller.signIn().refreshToken
                }
            }
        }
        let hasTLS = ServerUnderTest.hasTLSPrograms
        let certificate = hasTLS ? try await server.makeCertificate("ways") : nil
        for (files, ways) in [(nil, RequestWay.plain), (certificate, hasTLS ? RequestWay.encrypted : [])]
        where !ways.isEmpty {
            var configuration = server.configuration(contract)
            configuration.operations.tls = files
            configure(&configuration)
            try await server.run(configuration) { [server] caller in
                for way in ways {
                    let token = try #require(tokens[way])
                    try await body(Client(way: way, caller: caller, certificate: files, server: server, token: token))
                }
            }
        }
    }

    @Test func `a refresh request is identified, traced, logged and counted on every protocol and path`() async throws {
        try await forEachWay(configure: { $0.operations.trustsRequestID = true }, expectIdentified)
    }

    @Sendable private func expectIdentified(_ client: Client) async throws {
        let way = client.way
        let (before, taken) = (client.responses("2xx"), client.fastPath)
        let answer = try await client.refresh([
            ("X-Request-ID", "proxy-\(way)"),
            ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
        ])
        #expect(answer.status == 200, "\(way): \(answer.error)")
        #expect(answer.headers[values: .requestID] == ["proxy-\(way)"], "\(way)")
        let span = answer.headers[.traceParent].flatMap { TraceParent($0) }
        #expect(span?.traceID == "4bf92f3577b34da6a3ce929d0e0e4736", "\(way)")
        #expect(span?.spanID != "00f067aa0ba902b7", "\(way)")
        let secure = HTTPField.Name.strictTransportSecurity
        #expect((answer.headers[secure] != nil) == (client.certificate != nil), "\(way)")
        let records = client.caller.log.lines.filter { $0["message"] == "request" && $0["path"] == way.path }
        let record = records.last
        #expect(record?["request_id"] == "proxy-\(way)" && record?["status"] == "200", "\(way)")
        #expect(record?["method"] == "POST", "\(way)")
        #expect(client.responses("2xx") == before + 1, "\(way)")
        var expected = taken
        if let entry = way.entry { expected[entry, default: 0] += 1 }
        #expect(client.fastPath == expected, "\(way) took another way than its name says")
        #expect(client.caller.parts.admission.requests == 0, "\(way)")
    }

    @Test func `a refresh request beyond the request limit is refused and counted on every protocol and path`()
        async throws
    {
        try await forEachWay(configure: { $0.operations.admission.requests = 0 }, expectRefused)
    }

    @Sendable private func expectRefused(_ client: Client) async throws {
        let way = client.way
        let series = [
            #"freshet_http_requests_total{route="\#(way.path)",status="5xx"}"#,
            #"freshet_requests_turned_away_total{route="\#(way.path)",status="503"}"#,
        ]
        let before = series.map { client.metric($0) }
        let answer = try await client.refresh()
        #expect(answer.error == "503 unavailable", "\(way)")
        #expect(answer.headers[.retryAfter].flatMap { Int($0) }.map { (1...4).contains($0) } == true, "\(way)")
        #expect(series.map { client.metric($0) } == before.map { $0 + 1 }, "\(way)")
        #expect(client.caller.parts.admission.requests == 0, "\(way)")
    }

    @Test
    func `an unexpected error is hidden from the client and logged with its request ID on every protocol and path`()
        async throws
    {
        try await forEachWay(configure: { _ in }, expectHidden)
    }

    @Sendable private func expectHidden(_ client: Client) async throws {
        let way = client.way
        let total = "freshet_unexpected_errors_total"
        let before = (client.metric(total), client.responses("5xx"))
        let database = client.caller.database
        _ = try await database.durably { try $0.execute("ALTER TABLE sessions RENAME TO moved") }
        let answer: TestHTTPClient.Answer
        do { answer = try await client.refresh() } catch {
            _ = try await database.durably { try $0.execute("ALTER TABLE moved RENAME TO sessions") }
            throw error
        }
        _ = try await database.durably { try $0.execute("ALTER TABLE moved RENAME TO sessions") }
        #expect(answer.status == 500, "\(way)")
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(!text.contains("sessions") && !text.contains("table"), "\(way): \(text)")
        #expect(client.metric(total) == before.0 + 1, "\(way)")
        #expect(client.responses("5xx") == before.1 + 1, "\(way)")
        let id = try #require(answer.headers[.requestID])
        #expect(
            client.caller.log.lines.contains { $0["message"] == "unexpected" && $0["request_id"] == id },
            "\(way)"
        )
        #expect(try await client.refresh().status == 200, "\(way)")
    }
}

/// The refresh tokens of a test's sessions.
private final class TokenBox: Sendable {
    private let tokens = NIOLockedValueBox<[RequestWay: String]>([:])

    subscript(way: RequestWay) -> String? {
        get { tokens.withLockedValue { $0[way] } }
        set { tokens.withLockedValue { $0[way] = newValue } }
    }
}
