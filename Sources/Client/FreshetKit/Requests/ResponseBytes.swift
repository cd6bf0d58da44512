// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// The body of an answer while it arrives, in pieces of whatever size the network gives.
///
/// It can be read once, by one task at a time. A reader that is slow makes the server wait, as far as the transport can
/// (see ``URLSessionTransport``). The transfer ends when it is complete, when ``cancel()`` is called, when the task that
/// reads is cancelled, and when nobody keeps these bytes or an iterator of theirs any more.
public struct ResponseBytes: AsyncSequence, Sendable {
    /// The most that ``data(upTo:)`` collects unless told otherwise: 16 MiB.
    public static let largestInMemory = 16 * 1024 * 1024
    /// The most that is read of a token endpoint's answer: 256 KiB.
    public static let largestExchange = 256 * 1024

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
        try await collect(into: &all, upTo: limit)
        return all
    }

    /// Collects the body of a response as ``HTTPTransport/data(for:)`` does.
    ///
    /// - Throws: ``PartialResponse`` if a body of 400 or more breaks off; else as ``data(upTo:)``.
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

    /// Looks at the beginning, which stays to be read, until a time at the latest.
    ///
    /// - Returns: Everything, if that is at most `limit` bytes and arrives in time; else what came, at least `limit` bytes
    ///   of it in time. A body that breaks off is what came of it; its reader gets the error after that.
    /// - Throws: `CancellationError` if the task is cancelled, which also ends the transfer.
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

    /// Reads the pieces of one body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: Source

        /// The next piece; `nil` at the end.
        public mutating func next() async throws -> Data? { try await source.next() }
    }

    /// Shared by the bytes and their iterators: when the last of them is gone, so is the transfer.
    fileprivate final class Source: Sendable {
        /// What was read ahead: a beginning, and after it a piece that is under way.
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

        /// Asks for the next piece in a task of its own, so that a caller may stop waiting for it.
        ///
        /// The task does not keep this object: its end cancels the transfer.
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
