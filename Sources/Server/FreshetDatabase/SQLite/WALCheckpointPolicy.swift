// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides when the WAL is checkpointed, and by which connection.
///
/// A background checkpoint does not block the writer; but under constant writes it never reaches the end of the WAL,
/// which then grows. Therefore the background connection checkpoints repeatedly, and once the WAL is long and only a
/// few pages are left, the writer checkpoints those itself. Then the WAL restarts.
///
/// A checkpoint starts only if the WAL has pages that are not in the database, and one at a time: before SQLite 3.51.3
/// a checkpoint without such pages could lose pages if another connection restarted the WAL in the meantime.
package struct WALCheckpointPolicy {
    /// The action that is due after a commit.
    enum Step: Equatable {
        /// Another connection checkpoints, while the writer continues.
        case checkpointInBackground
        /// The writer checkpoints, and all queued writes wait.
        case checkpointOnWriter
        /// The writer waits for the running checkpoint: the disk is slower than the writes.
        case waitForBackground
    }

    /// The connection that checkpoints.
    enum Place: String {
        case background = "aside", writer
    }

    /// The result of a checkpoint, as SQLite reports it.
    struct Result: Equatable {
        /// The number of pages in the WAL.
        var log: Int
        /// The number of those pages that are in the database.
        var moved: Int
    }

    /// The number of pages after which a checkpoint is due.
    private let interval: Int
    /// The number of pages after which the WAL should restart.
    private let longest: Int
    /// The number of background checkpoints of a long WAL after which the writer checkpoints.
    private static let patience = 3
    /// A small number of pages, but more than a single commit adds.
    ///
    /// It is also the distance between retries.
    private var little: Int { max(1, interval / 8) }
    /// The number of pages in the WAL.
    private var log = 0
    /// The number of those pages that are known to be in the database.
    private var moved = 0
    /// The number of pages at which the next checkpoint is due.
    private var due: Int
    /// Whether the WAL is long and almost completely checkpointed, so that the next checkpoint may restart it.
    private var isEnding = false
    /// The running checkpoint's connection, the WAL's length at its start, and its pages to checkpoint.
    private var underWay: (place: Place, since: Int, share: Int)?
    /// The number of checkpoints since the WAL became long.
    private var tries = 0
    /// Whether the WAL restarted during the running checkpoint.
    private var beganAnew = false

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - interval: The number of pages after which a checkpoint is due. The two flushes of a checkpoint are shared by
    ///     all of its pages.
    ///   - longest: The number of pages, 64 MB, after which the WAL should restart. The writer waits for a running
    ///     checkpoint after it has added this number of pages, or the number of pages being checkpointed if that is
    ///     larger.
    init(interval: Int = 2000, longest: Int = 16_000) {
        self.interval = interval
        self.longest = longest
        due = interval
    }

    /// Records a commit.
    ///
    /// - Parameter pages: The number of pages in the WAL after it.
    /// - Returns: The action that is due; the end of a checkpoint is reported by ``checkpointed(_:)``.
    mutating func committed(_ pages: Int) -> Step? {
        if pages <= log { beginAnew() }
        log = pages
        if let underWay { return log - underWay.since >= max(longest, underWay.share) ? .waitForBackground : nil }
        guard log >= due else { return nil }
        begin(isEnding ? .writer : .background)
        return isEnding ? .checkpointOnWriter : .checkpointInBackground
    }

    /// Returns whether a background checkpoint of the remaining pages must start now.
    ///
    /// Its end is reported by ``checkpointed(_:)``.
    mutating func beginFinalCheckpoint() -> Bool {
        guard underWay == nil, log > moved else { return false }
        begin(.background)
        return true
    }

    /// Records the end of a checkpoint.
    ///
    /// - Parameter result: The result that SQLite reported; `nil` if it failed.
    mutating func checkpointed(_ result: Result?) {
        guard let place = underWay?.place else { return }
        underWay = nil
        // The result describes the WAL before its restart.
        if beganAnew {
            beganAnew = false
            return
        }
        moved = result?.moved ?? moved
        // A concurrent commit prevents only its own pages from being checkpointed; a long reader prevents many more.
        guard let result, result.log - result.moved <= little else {
            isEnding = false
            due = log + little
            return
        }
        if log >= longest { tries += 1 }
        isEnding = log >= longest && (log - moved <= interval || tries >= Self.patience)
        // After the writer's checkpoint, the WAL restarts with the next page, unless a reader prevents it.
        due = isEnding ? log + (place == .background ? 1 : little) : moved + interval
    }

    private mutating func begin(_ place: Place) { underWay = (place, log, log - moved) }

    private mutating func beginAnew() {
        moved = 0
        due = interval
        isEnding = false
        tries = 0
        beganAnew = underWay != nil
        underWay?.since = 0
    }
}
