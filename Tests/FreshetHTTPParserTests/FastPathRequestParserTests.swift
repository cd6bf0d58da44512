// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetHTTPParser
import Testing

@Suite struct `Fast path requests` {
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

    private func read(_ text: String) -> FastPathRequestParser.ParseResult { read(Array(text.utf8)) }

    private func read(_ bytes: [UInt8]) -> FastPathRequestParser.ParseResult {
        bytes.withUnsafeBytes(NativeRequests.parser.parse)
    }

    @Test func `a refresh is parsed with its body and the header fields that matter for its response`() throws {
        let names = [
            "X-Request-Id: 7", "TraceParent:  00-a", "x-forwarded-for: 192.0.2.1", "X-Forwarded-For: 192.0.2.2",
        ]
        let others = ["user-agent: App/1 (x; y)", "Accept: */*", "connection: Keep-Alive", "X-Empty:"]
        let text = Self.text(Self.usual + names + others)
        guard case .complete(let request) = read(text) else { throw Unread() }
        #expect(NativeRequests.routes[request.endpoint].path == "/v1/refresh")
        #expect(request.fields.count == Self.usual.count + names.count + others.count)
        #expect(String(text.utf8.dropFirst(request.body.lowerBound)) == Self.body)
        #expect(request.body.upperBound == text.utf8.count)
        let fields = [
            Known(name: .requestID, value: "7"), Known(name: .traceParent, value: "00-a"),
            Known(name: .forwardedFor, value: "192.0.2.1"), Known(name: .forwardedFor, value: "192.0.2.2"),
        ]
        #expect(known(request, text) == fields)
        let confirm = Self.text(line: "POST /v1/confirm HTTP/1.1")
        guard case .complete(let confirmation) = read(confirm) else { throw Unread() }
        #expect(NativeRequests.routes[confirmation.endpoint].path == "/v1/confirm")
        #expect(known(confirmation, confirm).isEmpty)
    }

    /// The fields of a request that can change its response.
    private func known(_ request: FastPathRequest, _ text: String) -> [Known] {
        let bytes = Array(text.utf8)
        return request.fields.filter { $0.name != .other }
            .map { Known(name: $0.name, value: String(decoding: bytes[$0.valueRange], as: UTF8.self)) }
    }

    private struct Known: Equatable {
        var name: FastPathRequest.FieldName
        var value: String
    }

    private struct Unread: Error {}

    private static func currentUserRequest(_ fields: [String], line: String = "GET /v1/me HTTP/1.1") -> String {
        text(["Host: a.example", "Authorization: Bearer e.y.J"] + fields, line: line, body: "")
    }

    @Test func `a request for the current user is parsed with its access token, and has no body`() throws {
        let text = Self.currentUserRequest(["Accept: */*", "Content-Type: application/json", "X-Request-Id: 7"])
        guard case .complete(let request) = read(text) else { throw Unread() }
        #expect(NativeRequests.routes[request.endpoint].path == "/v1/me" && request.body.isEmpty)
        let fields = [Known(name: .authorization, value: "Bearer e.y.J"), Known(name: .requestID, value: "7")]
        #expect(known(request, text) == fields)
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count { #expect(read(Array(bytes[..<count])) == .incomplete) }
        for byte in UInt8.min...UInt8.max { #expect(read(bytes + [byte]) == .rejected) }
        for field in [
            "Content-Length: 0", "Content-Length: 3", "Transfer-Encoding: chunked", "Host: b", "Upgrade: h2c",
        ] {
            #expect(read(Self.currentUserRequest([field])) == .rejected, "\(field)")
        }
        for line in ["POST /v1/me HTTP/1.1", "HEAD /v1/me HTTP/1.1", "GET /v1/me? HTTP/1.1", "GET /v1/me HTTP/1.0"] {
            #expect(read(Self.currentUserRequest([], line: line)) == .rejected, "\(line)")
        }
    }

    @Test func `an incomplete request is waited for, and bytes after its end are refused`() {
        let bytes = Array(Self.text().utf8)
        for count in 0..<bytes.count { #expect(read(Array(bytes[..<count])) == .incomplete) }
        for byte in UInt8.min...UInt8.max { #expect(read(bytes + [byte]) == .rejected) }
    }

    @Test func `ambiguous and unusual requests are left to the other parser`() {
        let lines = [
            "GET /v1/refresh HTTP/1.1", "POST /v1/refresh HTTP/1.0", "POST /v1/refresh?a HTTP/1.1",
            "POST /v1/refresh/ HTTP/1.1", "POST  /v1/refresh HTTP/1.1", "POST /v1/Refresh HTTP/1.1",
            "post /v1/refresh HTTP/1.1", "POST http://a.example/v1/refresh HTTP/1.1", "POST /v1/logout HTTP/1.1",
            "PRI * HTTP/2.0", "\r\nPOST /v1/refresh HTTP/1.1",
        ]
        for line in lines { #expect(read(Self.text(line: line)) == .rejected, "\(line)") }
        let fields = [
            "Transfer-Encoding: chunked", "Expect: 100-continue", "Upgrade: h2c", "Connection: close",
            "Connection: keep-alive, x", "Proxy-Connection: close", "Proxy-Connection: keep-alive", "Host: b.example",
            "Content-Length: \(Self.body.utf8.count)",
            "Content-Length: 3",
            "Content-Type: application/json", " folded: x", "Bad Name: x", "Name : x", ": x", "noColon", "X: a\u{1}b",
            "X: ä", "X: a\tb", "X: a\rb", "X: a\nY: b", "X: a ",
        ]
        for field in fields { #expect(read(Self.text(Self.usual + [field])) == .rejected, "\(field)") }
        for place in Self.usual.indices {
            var fewer = Self.usual
            fewer.remove(at: place)
            #expect(read(Self.text(fewer)) == .rejected)
        }
        for length in [
            "", "0", "+39", "-1", " 3 9", "39,39", "0x27", "39.0", "\(NativeRequests.maximumBodyBytes + 1)", "99999999",
        ] {
            let fields = Array(Self.usual.dropLast()) + ["Content-Length: \(length)"]
            #expect(read(Self.text(fields)) == .rejected, "\(length)")
        }
        for type in ["application/json; charset=utf-8", "text/json", ""] {
            #expect(read(Self.text(["Host: x", "Content-Type: \(type)", Self.usual[2]])) == .rejected)
        }
        for host in ["", "a b", "a@b", "a:b", "a:80:80", "[::1]", "a/b"] {
            #expect(read(Self.text(["Host: \(host)"] + Array(Self.usual.dropFirst()))) == .rejected, "\(host)")
        }
        #expect(read(Self.text(Self.usual + Array(repeating: "X: y", count: 48))) == .rejected)
        #expect(
            read(Self.text(Self.usual + ["X: " + String(repeating: "y", count: NativeRequests.maximumHeaderBytes)]))
                == .rejected
        )
        let endless =
            "POST /v1/refresh HTTP/1.1\r\nX: " + String(repeating: "y", count: NativeRequests.maximumHeaderBytes)
        #expect(read(endless) == .rejected)
        for end in ["\n", "\r", "\n\r"] {
            let text = Self.text().replacing("\r\n", with: end)
            #expect(read(text) == .rejected, "\(Array(end.utf8))")
        }
    }

    /// A proxy in front of the server and this parser must agree about a request's end and its fields.
    @Test func `a changed request is either rejected or read as NIO's decoder reads it`() throws {
        try compare(Self.text(Self.usual + ["X-Request-Id: 7", "Connection: keep-alive"]))
        try compare(Self.currentUserRequest(["Content-Type: a", "X-Request-Id: 7", "Connection: keep-alive"]))
    }

    private func compare(_ text: String) throws {
        let original = Array(text.utf8)
        let alphabet = Array("\r\n\t :;,0159AZaz/?\"{}\\-_+\u{0}\u{7F}".utf8) + [0x80, 0xFF]
        var accepted = 0
        for place in original.indices {
            for byte in alphabet {
                for mutant in [
                    original[..<place] + [byte] + original[place...],
                    original[..<place] + [byte] + original[(place + 1)...],
                    original[..<place] + original[(place + 1)...],
                ] {
                    accepted += try DecoderComparison().compare(Array(mutant))
                }
            }
        }
        #expect(accepted > 1000)
    }
}
