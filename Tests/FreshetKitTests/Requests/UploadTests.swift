// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)), .serialized) struct Uploads {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    /// Takes the body of whoever has the newest token, and says how much it was.
    private static func take(_ head: LoopbackConnection.Head, _ connection: LoopbackConnection) -> Bool {
        let count = connection.skip(head.length)
        return connection.send(StreamingBackend.json(#"{"count":\#(count)}"#))
    }

    @Test func `an upload sends all its bytes and uses POST unless the request sets a method other than GET`()
        async throws
    {
        let backend = try StreamingBackend { backend, head, connection in
            backend.emit(String(head.text.prefix { $0 != " " }))
            return Self.take(head, connection)
        }
        defer { backend.server.stop() }
        let session = try await backend.session()
        for (method, expected) in [("GET", "POST"), ("PUT", "PUT")] {
            let request = try backend.request("/files", method: method)
            let (data, _) = try await session.upload(for: request, from: Data(count: 100_000))
            #expect(String(decoding: data, as: UTF8.self) == #"{"count":100000}"#)
            try await backend.until(expected)
        }
    }

    #if os(Linux)
        @Test func `a request with a body stream is sent without a Content-Length header`() async throws {
            let backend = try StreamingBackend { backend, head, connection in
                backend.emit(head.text.lowercased().contains("content-length") ? "twice" : "once")
                connection.skip("4\r\nsome\r\n0\r\n\r\n".utf8.count)
                return connection.send(StreamingBackend.json("{}"))
            }
            defer { backend.server.stop() }
            var request = try backend.request("/files", method: "POST")
            request.httpBodyStream = InputStream(data: Data("some".utf8))
            request.setValue("4", forHTTPHeaderField: "Content-Length")
            let transport = URLSessionTransport()
            #expect(try await transport.data(for: request).1.statusCode == 200)
            request.httpBodyStream = InputStream(data: Data("some".utf8))
            #expect(try await transport.send(request, body: .inRequest).1.statusCode == 200)
            var seen = backend.events.makeAsyncIterator()
            for _ in 0..<2 { #expect(await seen.next() == "once") }
        }
    #endif

    @Test(arguments: [1_000, 64 * 1024 * 1024])
    func `a 401 response to an upload causes one refresh and one replay of the whole file`(size: Int) async throws {
        let backend = try StreamingBackend { backend, head, connection in
            guard head.token != "access-1" else { return Self.take(head, connection) }
            // The rest of the body is never read: nobody needs to send it.
            connection.skip(min(head.length, 65_536))
            connection.send(StreamingBackend.refusal)
            if head.length > 65_536 {
                connection.untilClosed()
                return false
            }
            return true
        }
        defer { backend.server.stop() }
        let file = try folder.file("file", size: UInt64(size))
        let (data, response) = try await backend.session().upload(for: backend.request("/files"), fromFile: file)
        #expect(response.statusCode == 200)
        #expect(String(decoding: data, as: UTF8.self) == #"{"count":\#(size)}"#)
        #expect(backend.requests == ["/files access-0", "/files access-1"] && backend.refreshes == 1)
    }

    @Test(arguments: ["longer", "as long", "gone"])
    func `an upload is not replayed after a 401 response if its file has changed or was deleted`(change: String)
        async throws
    {
        let file = try folder.file("file", Data("before".utf8))
        let backend = try StreamingBackend { _, head, connection in
            connection.skip(head.length)
            switch change {
            case "longer": try? Data("afterwards".utf8).write(to: file)
            case "as long": try? Data("behind".utf8).write(to: file)
            default: try? FileManager.default.removeItem(at: file)
            }
            return connection.send(StreamingBackend.refusal)
        }
        defer { backend.server.stop() }
        let session = try await backend.session()
        let (data, response) = try await session.upload(for: backend.request("/files"), fromFile: file)
        #expect(response.statusCode == 401 && String(decoding: data, as: UTF8.self).contains("invalid_token"))
        try await backend.until("refresh")
        #expect(backend.requests == ["/files access-0"])
    }

    @Test func `an upload of a missing or unsuitable file fails before a request is sent`() async throws {
        let backend = try StreamingBackend { _, _, connection in connection.send(StreamingBackend.json("{}")) }
        defer { backend.server.stop() }
        let session = try await backend.session()
        let request = try backend.request("/files")
        for file in [folder.url.appending(path: "none"), folder.url, URL(string: "https://example.com/x")] {
            let file = try #require(file)
            await #expect(throws: (any Error).self) { try await session.upload(for: request, fromFile: file) }
        }
        await #expect(throws: URLError(.cannotOpenFile)) {
            try await URLSessionTransport().send(request, body: .file(folder.url.appending(path: "none")))
        }
        #expect(backend.requests.isEmpty)
    }

    @Test(arguments: [307, 308, 303, 302])
    func `an uploaded file is sent again after a 307 or 308 redirect, but not after 302 or 303`(status: Int)
        async throws
    {
        let backend = try StreamingBackend { backend, head, connection in
            if head.path == "/files" {
                connection.skip(head.length)
                return connection.send("HTTP/1.1 \(status) x\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")
            }
            backend.emit(String(head.text.prefix { $0 != " " }))
            return Self.take(head, connection)
        }
        defer { backend.server.stop() }
        let file = try folder.file("file", Data(count: 70_000))
        let (data, _) = try await backend.session().upload(for: backend.request("/files"), fromFile: file)
        let expected = status < 307 ? (0, "GET") : (70_000, "POST")
        #expect(String(decoding: data, as: UTF8.self) == #"{"count":\#(expected.0)}"#)
        try await backend.until(expected.1)
        #expect(backend.requests == ["/files access-0", "/there access-0"])
    }

    @Test func `an upload that is redirected to another origin is sent there without the access token`() async throws {
        let other = try StreamingBackend { _, head, connection in Self.take(head, connection) }
        let port = other.server.port
        let backend = try StreamingBackend { _, head, connection in
            connection.skip(head.length)
            return connection.send(
                "HTTP/1.1 307 x\r\nLocation: http://127.0.0.1:\(port)/there\r\nContent-Length: 0\r\n\r\n"
            )
        }
        defer {
            backend.server.stop()
            other.server.stop()
        }
        let file = try folder.file("file", Data(count: 70_000))
        let (_, response) = try await backend.session().upload(for: backend.request("/files"), fromFile: file)
        #expect(response.statusCode == 200)
        #expect(other.requests == ["/there -"])
    }

    @Test func `a cancellation during an upload ends it`() async throws {
        let backend = try StreamingBackend { backend, head, connection in
            connection.skip(1024)
            backend.emit("begun")
            connection.untilClosed()
            backend.emit("closed")
            return false
        }
        defer { backend.server.stop() }
        let session = try await backend.session()
        let request = try backend.request("/files")
        #if canImport(FoundationNetworking)
            // Read at once: who cancels while Foundation reads on may end the program there, see `upload(for:fromFile:)`.
            let size: UInt64 = 32 * 1024
        #else
            let size: UInt64 = 64 * 1024 * 1024
        #endif
        let file = try folder.file("file", size: size)
        let caller = Task { try await session.upload(for: request, fromFile: file) }
        try await backend.until("begun")
        caller.cancel()
        await #expect(throws: (any Error).self) { try await caller.value }
        try await backend.until("closed")
    }
}
