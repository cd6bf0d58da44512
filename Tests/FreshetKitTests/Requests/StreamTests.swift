// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)), .serialized) struct `Streamed responses` {
    @Test func `a line of a streamed response can be read before the server sends the next line`() async throws {
        let isRead = DispatchSemaphore(value: 0)
        let backend = try StreamingBackend { _, _, connection in
            connection.send(StreamingBackend.head(length: 17) + "first\r\nsec")
            isRead.wait()
            return connection.send("ond\nend")
        }
        defer { backend.server.stop() }
        let (bytes, response) = try await backend.session().bytes(for: backend.request("/feed"))
        #expect(response.statusCode == 200)
        var lines = bytes.lines.makeAsyncIterator()
        #expect(try await lines.next() == "first")
        isRead.signal()
        #expect(try await lines.next() == "second")
        #expect(try await lines.next() == "end")
        #expect(try await lines.next() == nil)
    }

    @Test func `a refused stream costs one refresh and one replay`() async throws {
        let backend = try StreamingBackend { _, head, connection in
            connection.send(head.token == "access-1" ? StreamingBackend.json("{}") : StreamingBackend.refusal)
        }
        defer { backend.server.stop() }
        let (bytes, response) = try await backend.session().bytes(for: backend.request("/feed"))
        #expect(response.statusCode == 200)
        #expect(try await bytes.data() == Data("{}".utf8))
        #expect(backend.requests == ["/feed access-0", "/feed access-1"] && backend.refreshes == 1)
    }

    @Test func `the caller of a stream receives the whole body of a second 401 response`() async throws {
        let length = 1024 * 1024
        let backend = try StreamingBackend { _, _, connection in
            connection.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: \(length)\r\n\r\n")
                && connection.sendZeros(length)
        }
        defer { backend.server.stop() }
        let (bytes, response) = try await backend.session().bytes(for: backend.request("/feed"))
        #expect(response.statusCode == 401)
        #expect(try await bytes.data().count == length)
        #expect(backend.requests.count == 2 && backend.refreshes == 1)
    }

    @Test func `a request with a body stream is not replayed after a 401 response, whose body arrives complete`()
        async throws
    {
        let length = 1024 * 1024
        let isRead = DispatchSemaphore(value: 0)
        let backend = try StreamingBackend { _, _, connection in
            connection.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: \(length)\r\n\r\n")
            connection.sendZeros(length)
            // The request's body was not read and would be taken for the next request. To hang up on it resets the connection, and
            // with it what the client has not read.
            isRead.wait()
            return false
        }
        defer {
            isRead.signal()
            backend.server.stop()
        }
        var request = try backend.request("/feed", method: "POST")
        request.httpBodyStream = InputStream(data: Data("x".utf8))
        let (bytes, response) = try await backend.session().bytes(for: request)
        #expect(response.statusCode == 401)
        #expect(try await bytes.data().count == length)
        try await backend.until("refresh")
        #expect(backend.requests.count == 1)
    }

    @Test func `a response body that ends before its Content-Length is an error`() async throws {
        let backend = try StreamingBackend { _, _, connection in
            connection.send(StreamingBackend.head(length: 100) + "half")
            return false
        }
        defer { backend.server.stop() }
        let (bytes, _) = try await backend.session().bytes(for: backend.request("/cut"))
        await #expect(throws: (any Error).self) { try await bytes.data() }
    }

    @Test(arguments: ["cancelled task", "cancelled bytes", "dropped bytes"])
    func `the connection of a streamed response is closed when its reader cancels or releases it`(way: String)
        async throws
    {
        let backend = try StreamingBackend { backend, _, connection in
            connection.send(StreamingBackend.head(length: 1_000_000) + "some")
            connection.untilClosed()
            backend.emit("closed")
            return false
        }
        defer { backend.server.stop() }
        let session = try await backend.session()
        var answer: (ResponseBytes, HTTPURLResponse)? = try await session.bytes(for: backend.request("/long"))
        switch way {
        case "cancelled task":
            let bytes = try #require(answer?.0)
            let reader = Task { try await bytes.data() }
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
        case "cancelled bytes": answer?.0.cancel()
        default: answer = nil
        }
        try await backend.until("closed")
        withExtendedLifetime(answer) {}
    }

    @Test func `a cancellation before the response head closes the connection`() async throws {
        let backend = try StreamingBackend { backend, _, connection in
            backend.emit("arrived")
            connection.untilClosed()
            backend.emit("closed")
            return false
        }
        defer { backend.server.stop() }
        let session = try await backend.session()
        let request = try backend.request("/long")
        let caller = Task { try await session.bytes(for: request) }
        try await backend.until("arrived")
        caller.cancel()
        await #expect(throws: (any Error).self) { try await caller.value }
        try await backend.until("closed")
    }

    @Test func `a stream follows redirects and sends its access token only to its own origin`() async throws {
        let other = try StreamingBackend { _, _, connection in connection.send(StreamingBackend.json("{}")) }
        let port = other.server.port
        let backend = try StreamingBackend { _, head, connection in
            let place = head.path == "/start" ? "/next" : "http://127.0.0.1:\(port)/end"
            return connection.send("HTTP/1.1 302 Found\r\nLocation: \(place)\r\nContent-Length: 4\r\n\r\nmove")
        }
        defer {
            backend.server.stop()
            other.server.stop()
        }
        let (bytes, response) = try await backend.session().bytes(for: backend.request("/start"))
        #expect(response.statusCode == 200)
        #expect(try await bytes.data() == Data("{}".utf8))
        #expect(backend.requests == ["/start access-0", "/next access-0"])
        #expect(other.requests == ["/end -"])
    }
}
