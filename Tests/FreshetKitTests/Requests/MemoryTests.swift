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
/// Other tests use memory at the same time, so the bodies are much larger than that.
@Suite(.timeLimit(.minutes(2)), .serialized) struct `Memory of large bodies` {
    private static let size = 192 * 1024 * 1024
    private static let most = 96 * 1024 * 1024

    private func expectLittle(since start: Int?, _ location: SourceLocation = #_sourceLocation) {
        guard let start, let highest = PeakMemory.highest else { return }
        #expect(highest - start < Self.most, sourceLocation: location)
    }

    /// Sends at some 150 megabytes a second.
    private func backend() throws -> StreamingBackend {
        try StreamingBackend { backend, _, connection in
            connection.send(StreamingBackend.head(length: Self.size))
            return connection.sendZeros(Self.size, pause: 400) { sent in
                if sent == Self.size / 2 { backend.tell("half is sent") }
            }
        }
    }

    @Test func `an answer that is read slowly`() async throws {
        let backend = try backend()
        defer { backend.server.stop() }
        let start = PeakMemory.restart()
        let (bytes, _) = try await backend.session().bytes(for: backend.request("/large"))
        // Elsewhere the server waits for the reader.
        #if os(Linux)
            try await backend.until("half is sent")
        #endif
        var count = 0
        for try await chunk in bytes { count += chunk.count }
        #expect(count == Self.size)
        expectLittle(since: start)
    }

    @Test func `a download`() async throws {
        let backend = try backend()
        defer { backend.server.stop() }
        let start = PeakMemory.restart()
        let (file, _) = try await backend.session().download(for: backend.request("/large"))
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int == Self.size)
        expectLittle(since: start)
    }

    @Test func `a file that is uploaded`() async throws {
        let backend = try StreamingBackend { _, head, connection in
            connection.send(StreamingBackend.json(#"{"count":\#(connection.skip(head.length))}"#))
        }
        defer { backend.server.stop() }
        let folder = try ScratchFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.file("large", size: UInt64(Self.size))
        let start = PeakMemory.restart()
        let (data, _) = try await backend.session().upload(for: backend.request("/files"), fromFile: file)
        #expect(String(decoding: data, as: UTF8.self) == #"{"count":\#(Self.size)}"#)
        expectLittle(since: start)
    }
}
