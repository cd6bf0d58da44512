// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetHTTP
@testable import FreshetServer

/// The limits of a connection, seen from a raw socket.
@Suite(.timeLimit(.minutes(5)))
struct `Connections` {
    let server = ServerUnderTest()

    /// Sends `text` and reads until the server closes.
    private func exchange(_ caller: TestHTTPClient, _ text: String) async throws -> String {
        try await RawConnection.exchange(text, port: try #require(caller.port))
    }

    @Test func `a refresh request without its body gets 408 and does not end the session`() async throws {
        var configuration = server.configuration
        configuration.limits.bodyTimeout = .milliseconds(300)
        try await server.run(configuration) { caller in
            let grant = try await caller.signUp()
            let answer = try await exchange(
                caller,
                "POST /v1/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 200\r\n\r\n"
            )
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            #expect(answer.contains(#""error":"request_timeout""#))
            #expect(answer.contains(#""request_id":""#))
            #expect(try await caller.refresh(grant.refreshToken, .random()).status == 200)
        }
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1} hello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX: a\u{0}b\r\n\r\n",
    ])
    func `input that is not HTTP gets 400 in JSON, and the connection is closed`(text: String) async throws {
        try await server.run { caller in
            let answer = try await exchange(caller, text)
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
            let body = try #require(answer.split(separator: "\r\n\r\n").last)
            let parts = try #require(
                body.wholeMatch(
                    of:
                        /{"error":"invalid_request","error_description":"not an HTTP\/1.1 request","request_id":"(\w+)"}/
                )
            )
            #expect(caller.log.lines.contains { $0["request_id"] == String(parts.1) })
        }
    }

    @Test func `a request that is pipelined behind a refresh request gets its response after the refresh response`()
        async throws
    {
        try await server.run { caller in
            let grant = try await caller.signUp()
            let body = #"{"refresh_token":"\#(grant.refreshToken)","intent":"\#(Intent.random().text)"}"#
            let refresh = """
                POST /v1/refresh HTTP/1.1\r
                Host: x\r
                Content-Type: application/json\r
                Content-Length: \(body.utf8.count)\r
                \r
                \(body)
                """
            for _ in 1...20 {
                let answer = try await RawConnection.exchange(
                    refresh,
                    "GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                    port: try #require(caller.port)
                )
                #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("}HTTP/1.1 401 "))
            }
        }
    }

    @Test func `a chunked request body that is too large gets 413`() async throws {
        try await server.run { caller in
            let chunk = String(repeating: "x", count: 10_000)
            let answer = try await exchange(
                caller,
                "POST /v1/refresh HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n2710\r\n\(chunk)\r\n2710\r\n\(chunk)\r\n0\r\n\r\n"
            )
            #expect(answer.hasPrefix("HTTP/1.1 413 "))
            #expect(answer.contains(#""error":"content_too_large""#))
            #expect(try await caller.send(.get, NativePath.live).status == 200)
        }
    }

    @Test(arguments: [17_000, 100_000])
    func `header fields that are too large get 431`(size: Int) async throws {
        try await server.run { caller in
            let field = String(repeating: "x", count: size)
            let answer = try await exchange(caller, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Large: \(field)\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 431 "))
            #expect(answer.contains(#""error":"headers_too_large""#))
            #expect(answer.contains(#""request_id":""#))
        }
    }
}

/// A blocking TCP connection to loopback.
struct RawConnection {
    private let descriptor: Int32

    /// Connects to whatever `localhost` is: the server under test listens on one of its addresses.
    init(port: Int) throws {
        var found: UnsafeMutablePointer<addrinfo>?
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        guard getaddrinfo("localhost", String(port), &hints, &found) == 0 else { throw POSIXError(.EHOSTUNREACH) }
        defer { freeaddrinfo(found) }
        var next = found
        while let address = next?.pointee {
            let candidate = socket(address.ai_family, address.ai_socktype, 0)
            if connect(candidate, address.ai_addr, address.ai_addrlen) == 0 {
                descriptor = candidate
                return
            }
            close(candidate)
            next = address.ai_next
        }
        throw POSIXError(.ECONNREFUSED)
    }

    /// Sends `pieces` over a new connection, and nothing more if it `hangsUp`, and returns all that comes until the other side closes.
    static func exchange(_ pieces: String..., port: Int, hangsUp: Bool = false) async throws -> String {
        // A thread of its own: the exchange blocks, and the concurrency runtime has as many threads as cores.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try RawConnection(port: port).exchange(pieces, hangsUp: hangsUp) })
            }
        }
    }

    /// Sends `pieces`, each at once, and returns all that comes until the other side closes.
    private func exchange(_ pieces: [String], hangsUp: Bool) throws -> String {
        defer { close(descriptor) }
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        for piece in pieces {
            var rest = Array(piece.utf8)[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if sent <= 0 { break }
                rest = rest.dropFirst(sent)
            }
        }
        if hangsUp { shutdown(descriptor, Int32(SHUT_WR)) }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { break }
            answer += buffer.prefix(count)
        }
        return String(decoding: answer, as: UTF8.self)
    }
}
