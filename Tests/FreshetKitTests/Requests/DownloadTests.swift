// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)), .serialized) struct Downloads {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func mode(of file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    @Test func `a large response is downloaded to a file that only its owner can read`() async throws {
        let length = 8 * 1024 * 1024
        let backend = try StreamingBackend { _, _, connection in
            connection.send(StreamingBackend.head(length: length)) && connection.sendZeros(length)
        }
        defer { backend.server.stop() }
        let (file, response) = try await backend.session().download(for: backend.request("/large"))
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(response.statusCode == 200)
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        #expect(try size == length && mode(of: file) == 0o600)
    }

    @Test func `a download replaces its destination only when the body is complete`() async throws {
        let isSeen = DispatchSemaphore(value: 0)
        let backend = try StreamingBackend { backend, _, connection in
            connection.send(StreamingBackend.head(length: 7) + "new")
            backend.emit("half")
            isSeen.wait()
            return connection.send(" end")
        }
        defer { backend.server.stop() }
        let session = try await backend.session()
        let request = try backend.request("/file")
        let destination = try folder.file("file", Data("old".utf8))
        async let answer = session.download(for: request, to: destination)
        try await backend.until("half")
        #expect(try String(contentsOf: destination, encoding: .utf8) == "old")
        isSeen.signal()
        let (file, _) = try await answer
        #expect(file.path == destination.path)
        #expect(try String(contentsOf: file, encoding: .utf8) == "new end")
        #expect(try mode(of: file) == 0o600 && folder.names == ["file"])
    }

    @Test(arguments: ["cut", "cancelled"])
    func `a failed download leaves no partial file and keeps the old destination`(way: String) async throws {
        let backend = try StreamingBackend { backend, _, connection in
            connection.send(StreamingBackend.head(length: 1_000_000) + "new")
            backend.emit("half")
            if way == "cancelled" { connection.untilClosed() }
            return false
        }
        defer { backend.server.stop() }
        let session = try await backend.session()
        let request = try backend.request("/file")
        let destination = try folder.file("file", Data("old".utf8))
        let caller = Task { try await session.download(for: request, to: destination) }
        try await backend.until("half")
        if way == "cancelled" { caller.cancel() }
        await #expect(throws: (any Error).self) { try await caller.value }
        #expect(try String(contentsOf: destination, encoding: .utf8) == "old")
        #expect(try folder.names == ["file"])
    }

    @Test func `a response without a success status does not replace the destination`() async throws {
        let backend = try StreamingBackend { _, _, connection in
            connection.send(StreamingBackend.json(#"{"error":"gone"}"#, status: "404 Not Found"))
        }
        defer { backend.server.stop() }
        let destination = try folder.file("file", Data("old".utf8))
        let session = try await backend.session()
        let (file, response) = try await session.download(for: backend.request("/file"), to: destination)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(response.statusCode == 404)
        #expect(try String(contentsOf: file, encoding: .utf8) == #"{"error":"gone"}"#)
        #expect(try String(contentsOf: destination, encoding: .utf8) == "old")
        #expect(try folder.names == ["file"])
    }

    @Test func `a download to an invalid destination fails before a request is sent`() async throws {
        let backend = try StreamingBackend { _, _, connection in connection.send(StreamingBackend.json("{}")) }
        defer { backend.server.stop() }
        let session = try await backend.session()
        let request = try backend.request("/file")
        let destination = folder.url.appending(path: "no/such/folder/file")
        await #expect(throws: POSIXError.self) { try await session.download(for: request, to: destination) }
        #expect(backend.requests.isEmpty)
    }

    @Test func `a refused download is replayed, and its redirect to another origin carries no token`() async throws {
        let other = try StreamingBackend { _, _, connection in connection.send(StreamingBackend.json("{}")) }
        let port = other.server.port
        let backend = try StreamingBackend { _, head, connection in
            guard head.token == "access-1" else { return connection.send(StreamingBackend.refusal) }
            return connection.send(
                "HTTP/1.1 302 x\r\nLocation: http://127.0.0.1:\(port)/there\r\nContent-Length: 0\r\n\r\n"
            )
        }
        defer {
            backend.server.stop()
            other.server.stop()
        }
        let destination = folder.url.appending(path: "file")
        _ = try await backend.session().download(for: backend.request("/file"), to: destination)
        #expect(try String(contentsOf: destination, encoding: .utf8) == "{}")
        #expect(backend.requests == ["/file access-0", "/file access-1"] && other.requests == ["/there -"])
    }
}
