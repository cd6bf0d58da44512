// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import FreshetServer

@Suite struct `A direct request` {
    private let limits = RequestLimits()
    private static let body = #"{"refresh_token":"frt_AQ","intent":"x"}"#
    private static let usual = [
        "Host: a.example", "Content-Type: application/json", "Content-Length: \(body.utf8.count)",
    ]

    private static func text(
        _ fields: [String] = usual,
        line: String = "POST /v1/refresh HTTP/1.1",
        body: String = body
    ) -> String {
        ([line] + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private func read(_ text: String) -> FastPathRequest.ParseResult { read(Array(text.utf8)) }

    private func read(_ bytes: [UInt8]) -> FastPathRequest.ParseResult {
        bytes.withUnsafeBytes { FastPathRequest.read($0, limits: limits) }
    }

    @Test func `is found, with its body and the names that it goes by`() throws {
        let names = [
            "X-Request-Id: 7", "TraceParent:  00-a", "x-forwarded-for: 192.0.2.1", "X-Forwarded-For: 192.0.2.2",
        ]
        let others = ["user-agent: App/1 (x; y)", "Accept: */*", "connection: Keep-Alive", "X-Empty:"]
        let text = Self.text(Self.usual + names + others)
        guard case .whole(let request) = read(text) else { throw Unread() }
        #expect(request.call == .refresh)
        #expect(String(text.utf8.dropFirst(request.body.lowerBound)) == Self.body)
        #expect(request.body.upperBound == text.utf8.count)
        let fields: HTTPFields = [
            .requestID: "7", .traceParent: "00-a", .forwardedFor: "192.0.2.1", .forwardedFor: "192.0.2.2",
        ]
        #expect(request.fields == fields)
        guard case .whole(let confirmation) = read(Self.text(line: "POST /v1/confirm HTTP/1.1")) else { throw Unread() }
        #expect(confirmation.call == .confirm && confirmation.fields.isEmpty)
    }

    private struct Unread: Error {}

    private static func look(_ fields: [String], line: String = "GET /v1/me HTTP/1.1") -> String {
        text(["Host: a.example", "Authorization: Bearer e.y.J"] + fields, line: line, body: "")
    }

    @Test func `for whose token it is has no body, and brings the token along`() throws {
        let text = Self.look(["Accept: */*", "Content-Type: application/json", "X-Request-Id: 7"])
        guard case .whole(let request) = read(text) else { throw Unread() }
        #expect(request.call == .me && request.body.isEmpty)
        #expect(request.fields == [.authorization: "Bearer e.y.J", .requestID: "7"])
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count { #expect(read(Array(bytes[..<count])) == .part) }
        for byte in UInt8.min...UInt8.max { #expect(read(bytes + [byte]) == .other) }
        for field in [
            "Content-Length: 0", "Content-Length: 3", "Transfer-Encoding: chunked", "Host: b", "Upgrade: h2c",
        ] {
            #expect(read(Self.look([field])) == .other, "\(field)")
        }
        for line in ["POST /v1/me HTTP/1.1", "HEAD /v1/me HTTP/1.1", "GET /v1/me? HTTP/1.1", "GET /v1/me HTTP/1.0"] {
            #expect(read(Self.look([], line: line)) == .other, "\(line)")
        }
        // A presented token speaks for itself.
        guard case .whole(let refresh) = read(Self.text(Self.usual + ["Authorization: Bearer x"])) else {
            throw Unread()
        }
        #expect(refresh.fields.isEmpty)
    }

    @Test func `is waited for until it is whole, and ends where it says`() {
        let bytes = Array(Self.text().utf8)
        for count in 0..<bytes.count { #expect(read(Array(bytes[..<count])) == .part) }
        for byte in UInt8.min...UInt8.max { #expect(read(bytes + [byte]) == .other) }
    }

    @Test func `is nothing that can be understood in two ways, nor anything unusual`() {
        let lines = [
            "GET /v1/refresh HTTP/1.1", "POST /v1/refresh HTTP/1.0", "POST /v1/refresh?a HTTP/1.1",
            "POST /v1/refresh/ HTTP/1.1", "POST  /v1/refresh HTTP/1.1", "POST /v1/Refresh HTTP/1.1",
            "post /v1/refresh HTTP/1.1", "POST http://a.example/v1/refresh HTTP/1.1", "POST /v1/logout HTTP/1.1",
            "PRI * HTTP/2.0", "\r\nPOST /v1/refresh HTTP/1.1",
        ]
        for line in lines { #expect(read(Self.text(line: line)) == .other, "\(line)") }
        let fields = [
            "Transfer-Encoding: chunked", "Expect: 100-continue", "Upgrade: h2c", "Connection: close",
            "Connection: keep-alive, x", "Host: b.example", "Content-Length: \(Self.body.utf8.count)",
            "Content-Length: 3",
            "Content-Type: application/json", " folded: x", "Bad Name: x", "Name : x", ": x", "noColon", "X: a\u{1}b",
            "X: ä", "X: a\tb", "X: a\rb", "X: a\nY: b", "X: a ",
        ]
        for field in fields { #expect(read(Self.text(Self.usual + [field])) == .other, "\(field)") }
        for place in Self.usual.indices {
            var fewer = Self.usual
            fewer.remove(at: place)
            #expect(read(Self.text(fewer)) == .other)
        }
        for length in ["", "0", "+39", "-1", " 3 9", "39,39", "0x27", "39.0", "\(limits.bodyBytes + 1)", "99999999"] {
            let fields = Array(Self.usual.dropLast()) + ["Content-Length: \(length)"]
            #expect(read(Self.text(fields)) == .other, "\(length)")
        }
        for type in ["application/json; charset=utf-8", "text/json", ""] {
            #expect(read(Self.text(["Host: x", "Content-Type: \(type)", Self.usual[2]])) == .other)
        }
        #expect(read(Self.text(["Host:"] + Array(Self.usual.dropFirst()))) == .other)
        #expect(read(Self.text(Self.usual + Array(repeating: "X: y", count: 48))) == .other)
        #expect(read(Self.text(Self.usual + ["X: " + String(repeating: "y", count: limits.headerBytes)])) == .other)
        let endless = "POST /v1/refresh HTTP/1.1\r\nX: " + String(repeating: "y", count: limits.headerBytes)
        #expect(read(endless) == .other)
        for end in ["\n", "\r", "\n\r"] {
            let text = Self.text().replacing("\r\n", with: end)
            #expect(read(text) == .other, "\(Array(end.utf8))")
        }
    }

    /// Whoever stands before the server and this reader must not disagree about where a request ends, and what it is.
    @Test func `is, whatever was changed in it, what NIO's own decoder reads`() throws {
        try compare(Self.text(Self.usual + ["X-Request-Id: 7", "Connection: keep-alive"]))
        try compare(Self.look(["Content-Type: a", "X-Request-Id: 7", "Connection: keep-alive"]))
    }

    private func compare(_ text: String) throws {
        let original = Array(text.utf8)
        let alphabet = Array("\r\n\t :;,0159AZaz/?\"{}\\-_+\u{0}\u{7F}".utf8) + [0x80, 0xFF]
        var whole = 0
        for place in original.indices {
            for byte in alphabet {
                for mutant in [
                    original[..<place] + [byte] + original[place...],
                    original[..<place] + [byte] + original[(place + 1)...],
                    original[..<place] + original[(place + 1)...],
                ] {
                    guard case .whole(let request) = read(Array(mutant)) else { continue }
                    whole += 1
                    try expect(request, in: Array(mutant))
                }
            }
        }
        #expect(whole > 1000)
    }

    private func expect(_ request: FastPathRequest, in bytes: [UInt8]) throws {
        let channel = EmbeddedChannel(
            handler: ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
        )
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        func part() throws -> HTTPServerRequestPart? { try channel.readInbound(as: HTTPServerRequestPart.self) }
        guard case .head(let head)? = try part() else { throw Unread() }
        #expect(head.method.rawValue == request.call.method.rawValue)
        #expect(head.uri == request.call.path && head.version == .http1_1)
        if request.call.hasBody {
            guard case .body(let body)? = try part() else { throw Unread() }
            #expect(Array(body.readableBytesView) == Array(bytes[request.body]))
            #expect(head.headers["content-type"].map { $0.lowercased() } == ["application/json"])
            #expect(head.headers["content-length"].map { Int($0) } == [request.body.count])
        } else {
            #expect(request.body.isEmpty && !head.headers.contains(name: "content-length"))
            #expect(head.headers["authorization"] == request.fields[values: .authorization])
        }
        guard case .end(nil)? = try part() else { throw Unread() }
        #expect(head.headers["host"].count == 1)
        #expect(head.headers["x-request-id"] == request.fields[values: .requestID])
        for name in ["transfer-encoding", "upgrade", "expect"] { #expect(!head.headers.contains(name: name)) }
        #expect(try part() == nil)
        _ = try channel.finish()
    }
}
