// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Reads any sequence in chunks; only one task may read at a time.
final class SequenceReader<Chunks: AsyncSequence & Sendable>: Sendable where Chunks.Element == Data {
    /// A box whose iterator the reader removes under the lock, so that the reader is its only owner.
    private struct Iterator: @unchecked Sendable {
        var base: Chunks.AsyncIterator
    }

    private enum State {
        case idle(Iterator)
        case reading
        case cancelled
    }

    private let state: Locked<State>

    init(_ chunks: Chunks) {
        state = Locked(.idle(Iterator(base: chunks.makeAsyncIterator())))
    }

    /// Returns the next chunk; `nil` at the end.
    ///
    /// - Throws: `URLError(.resourceUnavailable)` while another task reads; `CancellationError` after ``cancel()``, and at
    ///   the end of the sequence for a task that was cancelled, because an `AsyncStream` ends early for it.
    func next() async throws -> Data? {
        var taken = try state.withLock { state throws -> Iterator in
            switch state {
            case .idle(let iterator):
                state = .reading
                return iterator
            case .reading: throw URLError(.resourceUnavailable)
            case .cancelled: throw CancellationError()
            }
        }
        defer {
            state.withLock { [taken] state in
                if case .reading = state { state = .idle(taken) }
            }
        }
        if let chunk = try await taken.base.next() { return chunk }
        try Task.checkCancellation()
        return nil
    }

    /// Releases the sequence, because many clients detect by its release that it is no longer read.
    func cancel() {
        let last = state.withLock { state in
            defer { state = .cancelled }
            return state
        }
        // Deinitializers run outside the lock.
        _ = consume last
    }
}
