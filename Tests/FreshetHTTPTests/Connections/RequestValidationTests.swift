// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@testable import FreshetHTTP

/// The rules of requests that NIO's decoders do not check.
@Suite struct `Request validation` {
    // MARK: HTTP/1.1, RFC 9112 sections 3.2 and 6.3

    private func isAccepted(
        _ hosts: [String],
        _ version: HTTPVersion = .http1_1,
        codings: [String] = []
    ) -> Bool {
        let channel = EmbeddedChannel(handler: HTTP1RequestValidator())
        let fields = HTTPHeaders(hosts.map { ("Host", $0) } + codings.map { ("Transfer-Encoding", $0) })
        let head = HTTPRequestHead(version: version, method: .GET, uri: "/healthz", headers: fields)
        do { try channel.writeInbound(HTTPServerRequestPart.head(head)) } catch { return false }
        return (try? channel.readInbound(as: HTTPServerRequestPart.self)) == .head(head)
    }

    @Test(arguments: [
        "a.example", "a.example:8443", "127.0.0.1", "[::1]:80", "[::1]", "[::ffff:192.0.2.1]", "[v1.a:b]",
        "a_b.example",
        "ex%41mple", "",
    ])
    func `a valid Host is accepted`(host: String) { #expect(isAccepted([host])) }

    @Test(arguments: [
        "a b", "a@b", "a/b", "a:b", "a:80:80", "[::1", "[::1]x", "[]", "a\\b", "a?b", "a#b", "\"a\"", "ä.example",
        "%zz", "a%4", "[abc]", "[1::2::3]", "[127.0.0.1]", "[fe80::1%25eth0]", "[v1.]",
    ])
    func `an invalid Host is refused`(host: String) { #expect(!isAccepted([host])) }

    @Test func `an HTTP 1.1 request needs exactly one Host, and an HTTP 1.0 request at most one`() {
        #expect(!isAccepted([]))
        #expect(!isAccepted(["a", "a"]) && !isAccepted(["a", "b"]))
        #expect(isAccepted([], .http1_0))
        #expect(!isAccepted(["a", "b"], .http1_0))
    }

    @Test func `an empty Transfer-Encoding is refused`() {
        #expect(isAccepted(["a"], codings: ["chunked"]))
        for coding in ["", " ", "\t"] {
            #expect(!isAccepted(["a"], codings: [coding]))
            #expect(!isAccepted(["a"], codings: ["chunked", coding]))
        }
    }

    // MARK: HTTP/2, RFC 9113 section 8.3.1

    private func isAccepted(
        authority: String?,
        path: String? = "/healthz",
        method: HTTPRequest.Method = .get,
        hosts: [String] = []
    ) -> Bool {
        let channel = EmbeddedChannel(handler: HTTP2RequestValidator())
        var request = HTTPRequest(method: method, scheme: "https", authority: authority, path: path)
        if let host = HTTPField.Name("host") {
            for value in hosts { request.headerFields.append(HTTPField(name: host, value: value)) }
        }
        do { try channel.writeInbound(HTTPRequestPart.head(request)) } catch { return false }
        return (try? channel.readInbound(as: HTTPRequestPart.self)) == .head(request)
    }

    @Test func `an HTTP 2 request needs a valid authority or Host, and the two must match`() {
        #expect(isAccepted(authority: "a.example:8443"))
        #expect(isAccepted(authority: "a.example", hosts: ["A.example"]))
        #expect(isAccepted(authority: nil, hosts: ["a.example"]))
        #expect(!isAccepted(authority: nil))
        #expect(!isAccepted(authority: "ann@a.example"))
        #expect(!isAccepted(authority: "a.example", hosts: ["b.example"]))
        #expect(!isAccepted(authority: "a.example", hosts: ["a.example", "a.example"]))
    }

    @Test func `an HTTP 2 request needs an absolute path`() {
        #expect(!isAccepted(authority: "a", path: "healthz") && !isAccepted(authority: "a", path: "*"))
        #expect(isAccepted(authority: "a", path: "*", method: .options))
    }

    // MARK: Expect, RFC 9110 section 10.1.1

    private func statuses(_ parts: [[HTTPServerRequestPart]]) throws -> [HTTPResponseStatus] {
        let channel = EmbeddedChannel(handler: ContinueHandler())
        for read in parts {
            for part in read { channel.pipeline.fireChannelRead(part) }
            channel.pipeline.fireChannelReadComplete()
        }
        var statuses: [HTTPResponseStatus] = []
        while case .head(let head)? = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            statuses.append(head.status)
        }
        return statuses
    }

    private func head(_ version: HTTPVersion = .http1_1, expect: String? = "100-Continue") -> HTTPServerRequestPart {
        let fields = HTTPHeaders(expect.map { [("Expect", $0)] } ?? [])
        return .head(HTTPRequestHead(version: version, method: .POST, uri: "/v1/refresh", headers: fields))
    }

    @Test func `a client that waits for 100 gets a 100 response before it sends its body`() throws {
        #expect(try statuses([[head()]]) == [.continue])
        #expect(try statuses([[head()], [.body(ByteBuffer(string: "{}")), .end(nil)]]) == [.continue])
    }

    @Test func `a client that does not wait for 100 gets no 100 response`() throws {
        #expect(try statuses([[head(expect: nil)]]) == [])
        #expect(try statuses([[head(.http1_0)]]) == [])
        #expect(try statuses([[head(), .body(ByteBuffer(string: "{}"))]]) == [])
    }

    @Test func `a 100 response is sent after the responses to earlier requests`() throws {
        let channel = EmbeddedChannel(handler: ContinueHandler())
        for part in [head(expect: nil), .end(nil), head()] { channel.pipeline.fireChannelRead(part) }
        channel.pipeline.fireChannelReadComplete()
        #expect(try channel.readOutbound(as: HTTPServerResponsePart.self) == nil)
        try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        var last: HTTPServerResponsePart?
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) { last = part }
        #expect(last == .head(HTTPResponseHead(version: .http1_1, status: .continue)))
    }
}
