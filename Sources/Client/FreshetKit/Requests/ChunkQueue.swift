// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Takes the pieces of an answer as the network brings them, and hands them out as somebody asks.
///
/// Memory is bounded by `limit`, whatever the reader does.
final class ChunkQueue: Sendable {
    /// What keeps memory bounded when the reader is slow.
    enum Overflow: Sendable {
        /// The flow can be stopped. Both are called under a lock and must not wait.
        case pausing(stop: @Sendable () -> Void, go: @Sendable () -> Void)
        /// It cannot: what memory does not hold waits in a file without a name.
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

    /// Small pieces are put together up to this size, so that a server cannot make a million of them.
    private static let smallest = 16 * 1024

    private let limit: Int
    private let overflow: Overflow
    private let whenCancelled: @Sendable () -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: How many bytes wait in memory.
    ///   - overflow: What happens beyond that.
    ///   - whenCancelled: Ends the transfer.
    init(limit: Int = 1024 * 1024, overflow: Overflow, whenCancelled: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.overflow = overflow
        self.whenCancelled = whenCancelled
    }

    // MARK: The network's side

    /// Takes the next piece.
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

    /// Nothing more comes; with an error, the body is not whole.
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

    // MARK: The reader's side

    /// The next piece; `nil` at the end.
    ///
    /// - Throws: `CancellationError`, the transfer's error, or `URLError(.resourceUnavailable)` if another task reads.
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

    /// Ends the transfer and forgets what waits.
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
