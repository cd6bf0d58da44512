// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// The body of a response as it arrives, in the chunks that the network delivers.
///
/// It can be read once, by one task at a time. A slow reader applies backpressure to the server, as far as the
/// transport supports it (see ``URLSessionTransport``). The transfer ends when it is complete, when ``cancel()`` is
/// called, when the reading task is cancelled, and when the last reference to these bytes and their iterators is
/// released.
public struct ResponseBytes: AsyncSequence, Sendable {
    /// The default limit of ``data(upTo:)``: 16 MiB.
    public static let largestInMemory = 16 * 1024 * 1024
    /// The maximum size of a response from a token endpoint: 256 KiB.
    public static let largestExchange = 256 * 1024

    private let source: Source

    /// Creates a body whose data is already complete.
    public init(_ data: Data) {
        source = Source(next: { nil }, cancel: {})
        source.putBack(data)
    }

    /// Creates a body from another client's chunks.
    ///
    /// - Parameters:
    ///   - chunks: The chunks. They are requested one at a time, as the body is read.
    ///   - cancel: Cancels the transfer, if releasing the sequence does not; called once, after the last use.
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

    /// Starts reading, or continues where another iterator stopped.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }

    /// Cancels the transfer; the reader gets `CancellationError`, or the end.
    public func cancel() { source.cancel() }

    /// Collects the rest of the body.
    ///
    /// - Parameter limit: The maximum size, in bytes.
    /// - Returns: The rest of the body.
    /// - Throws: `URLError(.dataLengthExceedsMaximum)` if it is longer, which also cancels the transfer; the
    ///   transport's error if the body is incomplete.
    public func data(upTo limit: Int = largestInMemory) async throws -> Data {
        var all = Data()
        try await collect(into: &all, upTo: limit)
        return all
    }

    /// Collects the body of a response as ``HTTPTransport/data(for:)`` does.
    ///
    /// - Throws: ``PartialResponse`` if the status is 400 or more and the body is truncated; otherwise as
    ///   ``data(upTo:)``.
    package func data(of response: HTTPURLResponse) async throws -> Data {
        var all = Data()
        do { try await collect(into: &all, upTo: Self.largestInMemory) } catch {
            let isTooLong = (error as? URLError)?.code == .dataLengthExceedsMaximum
            guard response.statusCode >= 400, !isTooLong, !(error is CancellationError), !Task.isCancelled else {
                throw error
            }
            throw PartialResponse(data: all, response: response, error: error)
        }
        return all
    }

    private func collect(into all: inout Data, upTo limit: Int) async throws {
        for try await chunk in self {
            guard all.count + chunk.count <= limit else {
                cancel()
                throw URLError(.dataLengthExceedsMaximum)
            }
            all.append(chunk)
        }
    }

    /// Returns the beginning of the body without consuming it, and waits for it no longer than `deadline`.
    ///
    /// - Returns: The bytes that arrived before the deadline: at least `limit` bytes, unless the body is shorter,
    ///   truncated or late. If it is truncated, its reader gets the error after these bytes.
    /// - Throws: `CancellationError` if the task is cancelled, which also cancels the transfer.
    func peek(upTo limit: Int, until deadline: Duration, on clock: SessionClock) async throws -> Data {
        var beginning = source.takeHeld() ?? Data()
        while beginning.count < limit {
            let pull = source.startPull()
            do throws(DeadlineFailure) {
                let chunk = try await withDeadline(deadline, on: clock) { try await pull.value }
                guard let chunk else { break }
                beginning.append(chunk)
            } catch {
                if Task.isCancelled {
                    cancel()
                    throw CancellationError()
                }
                source.putBack(beginning, before: pull)
                return beginning
            }
        }
        source.putBack(beginning)
        return beginning
    }

    /// Iterates over the chunks of a body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: Source

        /// Returns the next chunk; `nil` at the end.
        public mutating func next() async throws -> Data? { try await source.next() }
    }

    /// Shared by the bytes and their iterators; releasing the last of them cancels the transfer.
    fileprivate final class Source: Sendable {
        /// Data that was read ahead: the beginning of the body, followed by a chunk that is being read.
        private struct Held {
            var beginning: Data?
            var pull: Task<Data?, any Error>?
        }

        private let pull: @Sendable () async throws -> Data?
        private let stop: @Sendable () -> Void
        private let held = Locked(Held())
        private let isCancelled = Locked(false)

        init(next: @escaping @Sendable () async throws -> Data?, cancel: @escaping @Sendable () -> Void) {
            pull = next
            stop = cancel
        }

        deinit { cancel() }

        func putBack(_ data: Data, before pull: Task<Data?, any Error>? = nil) {
            held.withLock { $0 = Held(beginning: data.isEmpty ? nil : data, pull: pull) }
        }

        func takeHeld() -> Data? { held.withLock { $0.beginning.take() } }

        /// Requests the next chunk in a separate task, so that a caller may stop waiting for it.
        ///
        /// The task does not retain this object, whose deinitializer cancels the transfer.
        func startPull() -> Task<Data?, any Error> {
            if let running = held.withLock({ $0.pull.take() }) { return running }
            return Task { [pull] in try await pull() }
        }

        func next() async throws -> Data? {
            let (first, running) = held.withLock { held -> (Data?, Task<Data?, any Error>?) in
                if let first = held.beginning.take() { return (first, nil) }
                return (nil, held.pull.take())
            }
            if let first { return first }
            guard let running else { return try await pull() }
            return try await withTaskCancellationHandler {
                try await running.value
            } onCancel: {
                running.cancel()
            }
        }

        func cancel() {
            let isFirst = isCancelled.withLock { isCancelled in
                defer { isCancelled = true }
                return !isCancelled
            }
            guard isFirst else { return }
            let running = held.withLock { held in
                defer { held = Held() }
                return held.pull
            }
            running?.cancel()
            stop()
        }
    }
}
