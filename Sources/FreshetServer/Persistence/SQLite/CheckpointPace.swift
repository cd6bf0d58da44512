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

    /// So many pages of log bring the next checkpoint, as long as the log begins anew behind each.
    private(set) var pages: Int
    private let range: ClosedRange<Int>
    /// Written since the last checkpoint.
    private var gathered = 0
    /// How many pages the log had then.
    private var log = 0
    /// Whether it does not begin anew, as while somebody reads what was: it grows then, and the next checkpoint comes soon.
    private var isHeld = false

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
        return gathered >= (isHeld ? range.lowerBound / 8 : pages)
    }

    /// Whether anything was written since the last one.
    var hasGathered: Bool { gathered > 0 }

    /// Takes note of a checkpoint.
    ///
    /// Only those that were due and moved the whole log say how fast such are.
    ///
    /// - Parameters:
    ///   - duration: What it took.
    ///   - result: What SQLite says of it; `nil` if it failed, which is tried again as if somebody read.
    mutating func checkpointed(in duration: Duration, _ result: Result?) {
        defer { gathered = 0 }
        guard let result else {
            isHeld = true
            return
        }
        // One that began anew has less than what it had and what came since.
        isHeld = result.moved < result.log || (log > 0 && result.log >= log + gathered)
        log = result.log
        guard gathered >= pages, result.moved == result.log else { return }
        if duration < Self.short { pages = min(pages * 2, range.upperBound) }
        if duration > Self.long { pages = max(pages / 2, range.lowerBound) }
    }

    /// What SQLite says of a checkpoint.
    struct Result: Equatable {
        /// So many pages the log has.
        var log: Int
        /// So many of them are in the database.
        var moved: Int
    }
}
