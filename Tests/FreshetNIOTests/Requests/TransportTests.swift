// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import AsyncHTTPClient
import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit
@testable import FreshetNIO

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The guarantees of every transport, over real sockets.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `HTTP transports` {
    enum Kind: CaseIterable {
        case urlSession, asyncHTTPClient

        var losesFields: Bool {
            #if canImport(FoundationNetworking)
                self == .urlSession
            #else
                false
            #endif
        }

        /// The reason that it reports for failed TLS.
        var tlsFailure: SessionError.ConnectionFailure {
            #if canImport(FoundationNetworking)
                // FoundationNetworking has the code `unknown` for each failure of TLS.
                self == .urlSession ? .other("URLError -1") : .tls
            #else
                .tls
            #endif
        }

        func transport() -> any HTTPTransport {
            switch self {
            case .urlSession: URLSessionTransport()
            case .asyncHTTPClient: AsyncHTTPClientTransport()
            }
        }
    }

    private func post(_ backend: RawBackend, _ path: String = "grant") throws -> URLRequest {
        var request = URLRequest(url: try backend.base.appending(path: path))
        request.httpMethod = "POST"
        request.httpBody = Data("{}".utf8)
        return request
    }

    @Test(arguments: Kind.allCases, [200, 400, 503])
    func `an exchange stops reading a response at the size limit`(kind: Kind, status: Int) async throws {
        let sent = Locked(0)
        let (ends, end) = AsyncStream<Bool>.makeStream()
        let backend = try RawBackend { _, connection in
            connection.send("HTTP/1.1 \(status) Status\r\nConnection: close\r\n\r\n")
            end.yield(connection.sendZeros(.max) { count in sent.withLock { $0 = count } })
            return false
        }
        defer { backend.stop() }
        let request = try post(backend)
        let failure = await #expect(throws: URLError.self) {
            try await kind.transport().exchange(request, deadline: .seconds(60))
        }
        #expect(failure?.code == .dataLengthExceedsMaximum)
        let wasTaken = await ends.first { _ in true }
        #expect(wasTaken == false, "the connection ends, \(sent.withLock { $0 }) bytes were taken")
    }

    /// Sends a head that never ends, and returns when the other side has closed the connection.
    private static func sendEndlessHead(_ connection: LoopbackConnection, status: String = "200 OK") -> Bool {
        connection.send("HTTP/1.1 \(status)\r\n")
        let fields = String(repeating: "X-Field: \(String(repeating: "x", count: 100))\r\n", count: 500)
        while connection.send(fields) {}
        return false
    }

    @Test(arguments: Kind.allCases) func `an endless response head fails the exchange`(kind: Kind) async throws {
        let backend = try RawBackend { _, connection in Self.sendEndlessHead(connection) }
        defer { backend.stop() }
        let request = try post(backend)
        await #expect(throws: (any Error).self) {
            try await kind.transport().exchange(request, deadline: .seconds(60))
        }
    }

    @Test(arguments: ["101 Switching Protocols", "401 Unauthorized"])
    func `an endless response head fails the WebSocket handshake`(status: String) async throws {
        let backend = try RawBackend { _, connection in Self.sendEndlessHead(connection, status: status) }
        defer { backend.stop() }
        let request = URLRequest(url: try backend.base.appending(path: "feed"))
        await #expect(throws: WebSocketError.lost) {
            _ = try await NIOWebSocketTransport().connect(request, protocols: [], limits: WebSocketLimits())
        }
    }

    @Test(arguments: [0, 65_536, 99_999])
    func `a WebSocket URL with an invalid TCP port is unsupported`(port: Int) async throws {
        let request = URLRequest(url: try #require(URL(string: "ws://127.0.0.1:\(port)/feed")))
        let error = await #expect(throws: WebSocketError.self) {
            _ = try await NIOWebSocketTransport().connect(request, protocols: [], limits: WebSocketLimits())
        }
        guard case .unsupported = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    private func failure(_ kind: Kind, _ base: URL) async -> SessionError.ConnectionFailure? {
        var request = URLRequest(url: base)
        request.httpMethod = "POST"
        request.httpBody = Data("{}".utf8)
        do { _ = try await kind.transport().exchange(request, deadline: .seconds(60)) } catch {
            return SessionError.ConnectionFailure(error)
        }
        return nil
    }

    @Test(arguments: Kind.allCases)
    func `a refused connection, an unknown host and failed TLS have different reasons`(kind: Kind) async throws {
        // A server without TLS: it answers the handshake in plain text.
        let listener = try LoopbackListener()
        listener.start { handle in
            var hello = [UInt8](repeating: 0, count: 16_384)
            _ = recv(handle, &hello, hello.count, 0)
            _ = LoopbackConnection(handle: handle).send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        }
        let base = try listener.base
        let secure = try #require(URL(string: base.absoluteString.replacing("http://", with: "https://")))
        #expect(await failure(kind, secure) == kind.tlsFailure)
        listener.stop()
        #expect(await failure(kind, base) == .cannotConnect)
        let unknown = try #require(URL(string: "http://unknown.invalid"))
        #expect(await failure(kind, unknown) == .hostNotFound)
    }

    @Test(arguments: Kind.allCases)
    func `a refresh with an endless response is an error, and the session stays signed in`(kind: Kind) async throws {
        let floods = Locked(1)
        let backend = try RawBackend(
            refresh: { connection in
                let isFlood = floods.withLock { floods in
                    defer { floods -= 1 }
                    return floods > 0
                }
                guard isFlood else { return connection.send(RawBackend.grant) }
                connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
                return connection.sendZeros(.max)
            },
            { _, connection in connection.send(RawBackend.ok) }
        )
        defer { backend.stop() }
        let session = try await backend.session(over: kind.transport())
        let error = await #expect(throws: SessionError.self) { try await session.refresh() }
        guard case .invalidResponse(let fault) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault.contains("too large"))
        #expect(session.state.isSignedIn)
    }

    @Test(arguments: Kind.allCases) func `an exchange accepts a response that is exactly as long as the limit`(
        kind: Kind
    ) async throws {
        let size = 256 * 1024
        let backend = try RawBackend { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n") && connection.sendZeros(size)
        }
        defer { backend.stop() }
        let (data, response) = try await kind.transport().exchange(post(backend), deadline: .seconds(60))
        #expect(response.statusCode == 200 && data.count == size)
    }

    @Test(arguments: Kind.allCases) func `a response that is collected in memory is limited in size`(kind: Kind)
        async throws
    {
        let (ends, end) = AsyncStream<Bool>.makeStream()
        let backend = try RawBackend { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            end.yield(connection.sendZeros(.max))
            return false
        }
        defer { backend.stop() }
        let request = try post(backend)
        let failure = await #expect(throws: URLError.self) { try await kind.transport().data(for: request) }
        #expect(failure?.code == .dataLengthExceedsMaximum)
        let wasTaken = await ends.first { _ in true }
        #expect(wasTaken == false)
    }

    @Test(arguments: Kind.allCases)
    func `header fields whose names differ only in case are all kept`(kind: Kind) async throws {
        let backend = try RawBackend { _, connection in
            connection.send(
                "HTTP/1.1 200 OK\r\nSet-Cookie: at=A; Path=/\r\nset-cookie: rt=R; Path=/\r\nSET-COOKIE: id=I\r\n"
                    + "Content-Length: 0\r\n\r\n"
            )
        }
        defer { backend.stop() }
        for isExchange in [false, true] {
            let (data, response) =
                isExchange
                ? try await kind.transport().exchange(post(backend), deadline: .seconds(60))
                : try await kind.transport().data(for: post(backend))
            let answer = HTTPReply(data, response)
            // Foundation's HTTPURLResponse on Linux keeps one of them. When that ends, so does the note in Requests.md.
            withKnownIssue {
                #expect(["at", "rt", "id"].map { answer.cookie($0) } == ["A", "R", "I"])
            } when: {
                kind.losesFields
            }
        }
    }

    @Test(arguments: Kind.allCases) func `a refused connection is reported immediately`(kind: Kind) async throws {
        let backend = try RawBackend { _, _ in false }
        let request = try post(backend)
        backend.stop()
        // A client that tries again does so for ten seconds.
        let time = await ContinuousClock().measure {
            await #expect(throws: (any Error).self) { try await kind.transport().data(for: request) }
        }
        #expect(time < .seconds(5))
    }

    @Test(arguments: Kind.allCases, [true, false])
    func `a request body stream is sent with or without a known length`(kind: Kind, isLengthKnown: Bool) async throws {
        let size = 3 * 1024 * 1024
        let (bodies, body) = AsyncStream<Int>.makeStream()
        let backend = try RawBackend { head, connection in
            body.yield(head.length)
            if head.length == 0 { connection.skip(size) }
            connection.send(RawBackend.ok)
            return false
        }
        defer { backend.stop() }
        var request = try post(backend)
        request.httpBody = nil
        request.httpBodyStream = InputStream(data: Data(count: size))
        if isLengthKnown { request.setValue("\(size)", forHTTPHeaderField: "Content-Length") }
        let (data, response) = try await kind.transport().data(for: request)
        #expect(response.statusCode == 200 && data == Data("ok".utf8))
        let stated = await bodies.first { _ in true }
        #expect(stated == size || stated == 0)
    }

    @Test(arguments: Kind.allCases, [65_536, 99_999, 0])
    func `an HTTP URL with an invalid TCP port is an error`(kind: Kind, port: Int) async throws {
        let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/")))
        await #expect(throws: (any Error).self) { try await kind.transport().data(for: request) }
    }
}
