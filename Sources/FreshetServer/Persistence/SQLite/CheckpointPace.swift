// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// When SQLite's log is moved into the database file: seldom while that takes little, often while it takes long.
///
/// What a checkpoint takes is the disk's flushes and each page that was changed since the last one, however often. So where few pages
/// change again and again, a long log costs nothing more and stops the writer less often; where each change is to another page,
/// a short one keeps each stop short.
struct CheckpointPace: Equatable {
    /// Checkpoints that are faster than this may become rarer.
    static let short = Duration.milliseconds(8)
    /// Checkpoints that are slower than this become more frequent.
    static let long = Duration.milliseconds(20)

    /// So many pages of log bring the next checkpoint.
    private(set) var pages: Int
    private let range: ClosedRange<Int>
    private var gathered = 0

    /// - Parameter range: So many pages of log are let gather, at least and at most: SQLite's own measure is a thousand, and
    ///   16,000 are 64 MB.
    init(within range: ClosedRange<Int> = 2000...16_000) {
        self.range = range
        pages = range.lowerBound
    }

    /// Takes note of pages that were written to the log.
    ///
    /// - Returns: Whether a checkpoint is due.
    mutating func isDue(after written: Int) -> Bool {
        gathered += written
        return gathered >= pages
    }

    /// Takes note of a checkpoint, successful or not: what failed is tried again with the next one.
    ///
    /// One that nothing was due for, as between two batches of a clean-up, says nothing of the others.
    mutating func checkpointed(in duration: Duration) {
        if gathered >= pages {
            if duration < Self.short { pages = min(pages * 2, range.upperBound) }
            if duration > Self.long { pages = max(pages / 2, range.lowerBound) }
        }
        gathered = 0
    }
}
