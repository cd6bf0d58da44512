// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Response chunks` {
    private let flow = Locked<[String]>([])

    private func pausing(limit: Int) -> ChunkQueue {
        let flow = flow
        let overflow = ChunkQueue.Overflow.pausing(
            stop: { flow.withLock { $0.append("stop") } },
            go: { flow.withLock { $0.append("go") } }
        )
        return ChunkQueue(limit: limit, overflow: overflow) { flow.withLock { $0.append("cancel") } }
    }

    /// Pieces that are not put together, each of its own bytes.
    private func piece(_ number: UInt8) -> Data { Data(repeating: number, count: 20_000) }

    private func drain(_ queue: ChunkQueue) async throws -> Data {
        try await ResponseBytes(queue).data(upTo: .max)
    }

    @Test func `a full queue pauses the transfer, which resumes below half of the limit`() async throws {
        let queue = pausing(limit: 50_000)
        for number in 0..<4 { queue.append(piece(UInt8(number))) }
        #expect(flow.withLock { $0 } == ["stop"], "what was under way is still taken")
        _ = try await queue.next()
        _ = try await queue.next()
        #expect(flow.withLock { $0 } == ["stop"])
        _ = try await queue.next()
        #expect(flow.withLock { $0 } == ["stop", "go"])
        queue.finish()
        #expect(try await drain(queue) == piece(3))
    }

    @Test func `a spilling queue keeps all chunks in order when the transfer cannot be paused`() async throws {
        let queue = ChunkQueue(limit: 50_000, overflow: .spilling) {}
        var expected = Data()
        var seen = Data()
        for number in 0..<200 {
            queue.append(piece(UInt8(number)))
            expected.append(piece(UInt8(number)))
            if number.isMultiple(of: 3) { seen.append(try #require(try await queue.next())) }
        }
        queue.finish()
        while let chunk = try await queue.next() { seen.append(chunk) }
        #expect(seen == expected)
    }

    @Test func `an overflow file has no name in its folder, and is empty after its chunks are read`() async throws {
        let folder = try ScratchFolder()
        let file = try OverflowFile(in: folder.url)
        try file.append(piece(1))
        #expect(try folder.names.isEmpty && !file.isEmpty)
        #expect(try file.next() == piece(1))
        #expect(try file.isEmpty && file.next() == nil)
    }

    @Test func `a transfer error is thrown after the chunks that arrived before it`() async throws {
        let queue = pausing(limit: 50_000)
        queue.append(Data("some".utf8))
        queue.finish(URLError(.networkConnectionLost))
        #expect(try await queue.next() == Data("some".utf8))
        await #expect(throws: URLError(.networkConnectionLost)) { try await queue.next() }
    }

    @Test func `a cancelled reader gets no more chunks, and the transfer is cancelled once`() async throws {
        let queue = pausing(limit: 50_000)
        queue.append(Data("some".utf8))
        let bytes = ResponseBytes(queue)
        bytes.cancel()
        bytes.cancel()
        await #expect(throws: CancellationError.self) { try await queue.next() }
        queue.finish(URLError(.cancelled))
        #expect(flow.withLock { $0 } == ["cancel"])
    }

    @Test func `small chunks are combined into one`() async throws {
        let queue = ChunkQueue(overflow: .spilling) {}
        for _ in 0..<1000 { queue.append(Data("x".utf8)) }
        #expect(try await queue.next()?.count == 1000)
    }

    @Test func `a second reader at the same time is refused, and the first continues`() async throws {
        let queue = pausing(limit: 50_000)
        async let first = queue.next()
        // One of the two waits, whichever came first, until the other was refused.
        async let second = queue.next()
        var refused = 0
        do { _ = try await second } catch URLError.resourceUnavailable {
            refused += 1
            queue.append(Data("x".utf8))
        }
        do { _ = try await first } catch URLError.resourceUnavailable { refused += 1 }
        #expect(refused == 1)
    }

    @Test func `a line ends with LF or CRLF, and an overlong line is an error`() async throws {
        let text = "a\r\n\nb\u{e9}\nlast"
        let bytes = ResponseBytes(
            AsyncStream { continuation in
                for byte in text.utf8 { continuation.yield(Data([byte])) }
                continuation.finish()
            }
        )
        var lines: [String] = []
        for try await line in bytes.lines { lines.append(line) }
        #expect(lines == ["a", "", "b\u{e9}", "last"])
        let endless = ResponseBytes(AsyncStream { Data(count: 100_000) })
        await #expect(throws: URLError(.dataLengthExceedsMaximum)) {
            for try await _ in endless.lines {}
        }
    }

    @Test func `a sequence is released as soon as it is cancelled, even while its bytes are retained`() async throws {
        let isGone = Locked(false)
        let source = AsyncStream<Data> { continuation in
            continuation.onTermination = { _ in isGone.withLock { $0 = true } }
        }
        let bytes = ResponseBytes(consume source)
        bytes.cancel()
        #expect(isGone.withLock { $0 })
        await #expect(throws: CancellationError.self) { try await bytes.data() }
    }

    @Test func `a body from another client is read chunk by chunk on demand, and is cancelled once`() async throws {
        let asked = Locked(0)
        let flow = flow
        do {
            let source = AsyncStream<Data> {
                asked.withLock { $0 += 1 }
                return Data(count: 10)
            }
            let bytes = ResponseBytes(source) { flow.withLock { $0.append("cancel") } }
            var iterator = bytes.makeAsyncIterator()
            _ = try await iterator.next()
            _ = try await iterator.next()
            #expect(asked.withLock { $0 } == 2)
            await #expect(throws: URLError(.dataLengthExceedsMaximum)) { try await bytes.data(upTo: 100) }
        }
        #expect(flow.withLock { $0 } == ["cancel"])
    }
}
