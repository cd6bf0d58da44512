// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Buffers the chunks of a response body between the network and its reader.
///
/// Memory is bounded by `limit`, however slow the reader is.
final class ChunkQueue: Sendable {
    /// The handling of chunks that exceed the limit.
    enum Overflow: Sendable {
        /// The transfer can be paused. Both closures are called under a lock and must not block.
        case pausing(stop: @Sendable () -> Void, go: @Sendable () -> Void)
        /// The transfer cannot be paused: chunks beyond the limit are written to an unlinked file.
        case spilling
    }

    private struct State {
        var chunks = ArraySlice<Data>()
        var size = 0
        var overflow: OverflowFile?
        var isStopped = false
        var reader: CheckedContinuation<Data?, any Error>?
        var end: Result<Void, any Error>?
    }

    /// Small chunks are joined up to this size, so that a server cannot cause a million small buffers.
    private static let smallest = 16 * 1024

    private let limit: Int
    private let overflow: Overflow
    private let whenCancelled: @Sendable () -> Void
    private let state = Locked(State())

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes buffered in memory.
    ///   - overflow: The strategy beyond that limit.
    ///   - whenCancelled: Cancels the transfer.
    init(limit: Int = 1024 * 1024, overflow: Overflow, whenCancelled: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.overflow = overflow
        self.whenCancelled = whenCancelled
    }

    // MARK: Producer

    /// Appends the next chunk.
    func append(_ data: Data) {
        guard !data.isEmpty else { return }
        var failed = false
        let reader: CheckedContinuation<Data?, any Error>? = state.withLock { state in
            guard state.end == nil else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            do { try keep(data, &state) } catch {
                state.end = .failure(error)
                failed = true
            }
            return nil
        }
        reader?.resume(returning: data)
        if failed { whenCancelled() }
    }

    /// Ends the body; with an error, the body is incomplete.
    func finish(_ error: (any Error)? = nil) {
        let reader = state.withLock { state -> CheckedContinuation<Data?, any Error>? in
            guard state.end == nil else { return nil }
            state.end = error.map { .failure($0) } ?? .success(())
            return state.reader.take()
        }
        if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
    }

    private func keep(_ data: Data, _ state: inout State) throws {
        switch overflow {
        case .pausing(let stop, _):
            Self.push(data, &state)
            guard state.size > limit, !state.isStopped else { return }
            state.isStopped = true
            stop()
        case .spilling:
            let isSpilling = state.overflow.map { !$0.isEmpty } ?? false
            guard isSpilling || state.size + data.count > limit else { return Self.push(data, &state) }
            let file = try state.overflow ?? OverflowFile()
            state.overflow = file
            try file.append(data)
        }
    }

    private static func push(_ data: Data, _ state: inout State) {
        state.size += data.count
        if let last = state.chunks.last, last.count + data.count <= smallest {
            state.chunks[state.chunks.endIndex - 1].append(data)
        } else {
            state.chunks.append(data)
        }
    }

    // MARK: Reader

    /// Returns the next chunk; `nil` at the end.
    ///
    /// - Throws: `CancellationError`, the transfer's error, or `URLError(.resourceUnavailable)` if another task is
    ///   reading.
    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ready: Result<Data?, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.reader != nil { return .failure(URLError(.resourceUnavailable)) }
                    do {
                        if let data = try take(&state) { return .success(data) }
                    } catch { return .failure(error) }
                    if let end = state.end { return end.map { nil } }
                    state.reader = continuation
                    return nil
                }
                if let ready { continuation.resume(with: ready) }
            }
        } onCancel: {
            cancel()
        }
    }

    private func take(_ state: inout State) throws -> Data? {
        if case .failure(let error as CancellationError)? = state.end { throw error }
        guard let first = state.chunks.popFirst() else { return try state.overflow?.next() }
        state.size -= first.count
        if state.isStopped, state.size <= limit / 2, case .pausing(_, let go) = overflow {
            state.isStopped = false
            go()
        }
        return first
    }

    /// Cancels the transfer and drops the buffered chunks.
    func cancel() {
        let (wasRunning, reader) = state.withLock { state in
            let wasRunning = state.end == nil
            state.end = .failure(CancellationError())
            state.chunks = []
            state.size = 0
            state.overflow = nil
            return (wasRunning, state.reader.take())
        }
        reader?.resume(throwing: CancellationError())
        if wasRunning { whenCancelled() }
    }
}
