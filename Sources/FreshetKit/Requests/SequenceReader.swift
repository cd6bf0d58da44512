// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Reads any sequence piece by piece, for one task at a time.
final class SequenceReader<Chunks: AsyncSequence & Sendable>: Sendable where Chunks.Element == Data {
    /// Whoever reads has taken the iterator out of the lock, so that nobody else has it.
    private struct Iterator: @unchecked Sendable {
        var base: Chunks.AsyncIterator
    }

    private let iterator: Locked<Iterator?>

    init(_ chunks: Chunks) {
        iterator = Locked(Iterator(base: chunks.makeAsyncIterator()))
    }

    /// - Throws: `URLError(.resourceUnavailable)` while somebody else reads.
    func next() async throws -> Data? {
        guard var taken = iterator.withLock({ iterator in iterator.take() }) else {
            throw URLError(.resourceUnavailable)
        }
        defer { iterator.withLock { [taken] in $0 = taken } }
        return try await taken.base.next()
    }
}
