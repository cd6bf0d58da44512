// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// The body of an answer while it arrives, in pieces of whatever size the network gives.
///
/// It can be read once, by one task at a time. A reader that is slow makes the server wait, as far as the transport can
/// (see ``URLSessionTransport``). The transfer ends when it is complete, when ``cancel()`` is called, when the task that
/// reads is cancelled, and when nobody keeps these bytes or an iterator of theirs any more.
public struct ResponseBytes: AsyncSequence, Sendable {
    /// The most that ``data(upTo:)`` collects unless told otherwise: 16 MiB.
    public static let largestInMemory = 16 * 1024 * 1024

    private let source: Source

    /// A body that is complete.
    public init(_ data: Data) {
        source = Source(next: { nil }, cancel: {})
        source.putBack(data)
    }

    /// A body that a client of another make delivers.
    ///
    /// - Parameters:
    ///   - chunks: Its pieces. They are asked for one by one, as somebody reads.
    ///   - cancel: Ends the transfer, where it is not enough to let go of the sequence; called once, after the last use.
    public init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        cancel: @escaping @Sendable () -> Void = {}
    ) where Chunks.Element == Data {
        let reader = SequenceReader(chunks)
        source = Source(
            next: { try await reader.next() },
            cancel: {
                reader.cancel()
                cancel()
            }
        )
    }

    init(_ queue: ChunkQueue) {
        source = Source(next: { try await queue.next() }, cancel: { queue.cancel() })
    }

    /// Starts to read, or goes on where another iterator stopped.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }

    /// Ends the transfer; who reads on gets `CancellationError`, or the end.
    public func cancel() { source.cancel() }

    /// Collects what is still to come.
    ///
    /// - Parameter limit: The most that is taken, in bytes.
    /// - Returns: All of it.
    /// - Throws: `URLError(.dataLengthExceedsMaximum)` if there is more, which also ends the transfer; the transport's
    ///   error if the body does not arrive whole.
    public func data(upTo limit: Int = largestInMemory) async throws -> Data {
        var all = Data()
        for try await chunk in self {
            guard all.count + chunk.count <= limit else {
                cancel()
                throw URLError(.dataLengthExceedsMaximum)
            }
            all.append(chunk)
        }
        return all
    }

    /// Looks at the beginning, which stays to be read.
    ///
    /// - Returns: Everything, if that is at most `limit` bytes; else `limit` bytes or some more.
    func peek(upTo limit: Int) async throws -> Data {
        var beginning = Data()
        while beginning.count < limit, let chunk = try await source.next() { beginning.append(chunk) }
        source.putBack(beginning)
        return beginning
    }

    /// Reads the pieces of one body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: Source

        /// The next piece; `nil` at the end.
        public mutating func next() async throws -> Data? { try await source.next() }
    }

    /// Shared by the bytes and their iterators: when the last of them is gone, so is the transfer.
    fileprivate final class Source: Sendable {
        private let pull: @Sendable () async throws -> Data?
        private let stop: @Sendable () -> Void
        private let held = Locked<Data?>(nil)
        private let isCancelled = Locked(false)

        init(next: @escaping @Sendable () async throws -> Data?, cancel: @escaping @Sendable () -> Void) {
            pull = next
            stop = cancel
        }

        deinit { cancel() }

        func putBack(_ data: Data) { held.withLock { $0 = data.isEmpty ? nil : data } }

        func next() async throws -> Data? {
            if let first = held.withLock({ held in held.take() }) { return first }
            return try await pull()
        }

        func cancel() {
            let isFirst = isCancelled.withLock { isCancelled in
                defer { isCancelled = true }
                return !isCancelled
            }
            guard isFirst else { return }
            held.withLock { $0 = nil }
            stop()
        }
    }
}
