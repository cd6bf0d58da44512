// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Large bodies over real sockets: none of them lies in memory.
///
/// Each has a process to itself, because other tests need memory, too.
@Suite(.timeLimit(.minutes(5)), .serialized) struct `Memory of large bodies` {
    @Test func `a large response that is read slowly uses limited memory`() async {
        await #expect(processExitsWith: .success) { try await LargeBody.readSlowly() }
    }

    @Test func `a large download uses limited memory`() async {
        await #expect(processExitsWith: .success) { try await LargeBody.download() }
    }

    @Test func `a large file upload uses limited memory`() async {
        await #expect(processExitsWith: .success) { try await LargeBody.upload() }
    }
}

/// The uploads and downloads that the processes perform.
private enum LargeBody {
    static let size = 128 * 1024 * 1024
    static let most = 48 * 1024 * 1024

    static func readSlowly() async throws {
        let backend = try backend()
        let start = PeakMemory.restart()
        let (bytes, _) = try await backend.session().bytes(for: backend.request("/large"))
        // Elsewhere the server waits for the reader.
        #if os(Linux)
            try await backend.until("half is sent")
        #endif
        var count = 0
        for try await chunk in bytes { count += chunk.count }
        #expect(count == size)
        expectLittle(since: start)
    }

    static func download() async throws {
        let backend = try backend()
        let start = PeakMemory.restart()
        let (file, _) = try await backend.session().download(for: backend.request("/large"))
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int == size)
        expectLittle(since: start)
    }

    static func upload() async throws {
        let backend = try StreamingBackend { _, head, connection in
            connection.send(StreamingBackend.json(#"{"count":\#(connection.skip(head.length))}"#))
        }
        let folder = try ScratchFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.file("large", size: UInt64(size))
        let start = PeakMemory.restart()
        let (data, _) = try await backend.session().upload(for: backend.request("/files"), fromFile: file)
        #expect(String(decoding: data, as: UTF8.self) == #"{"count":\#(size)}"#)
        expectLittle(since: start)
    }

    /// Sends 60 megabytes a second at most: what is faster than the disk would wait in `URLSession` itself.
    private static func backend() throws -> StreamingBackend {
        try StreamingBackend { backend, _, connection in
            connection.send(StreamingBackend.head(length: size))
            return connection.sendZeros(size, pause: 1_000) { sent in
                if sent == size / 2 { backend.emit("half is sent") }
            }
        }
    }

    private static func expectLittle(since start: Int?) {
        guard let start, let highest = PeakMemory.highest else { return }
        #expect(highest - start < most)
    }
}
