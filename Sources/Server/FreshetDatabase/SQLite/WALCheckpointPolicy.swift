// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// When SQLite's log is moved into the database file, and by whom.
///
/// Moved beside the writer it stops nobody; but a log to which somebody always adds is never moved whole, and grows. So what has
/// gathered is moved beside the writer, again and again, and when the log has become long, the writer moves by itself what
/// little was added meanwhile. Then it begins anew.
///
/// A checkpoint begins only where the log has pages that are not in the database, and one at a time: before SQLite 3.51.3 one
/// with nothing to move could lose pages if somebody else began the log anew meanwhile.
package struct WALCheckpointPolicy {
    /// What is to be done about a log that has grown.
    enum Step: Equatable {
        /// Another connection moves it, while the writer goes on.
        case checkpointInBackground
        /// The writer moves it, and all who wait for it wait.
        case checkpointOnWriter
        /// The writer waits for who is at it: the disk is slower than what is written.
        case waitForBackground
    }

    /// Who moves it, or moved it.
    package enum Place: String {
        case background = "aside", writer
    }

    /// What SQLite says of a checkpoint.
    package struct Result: Equatable {
        /// So many pages the log has.
        package var log: Int
        /// So many of them are in the database.
        var moved: Int
    }

    /// So many pages are let gather.
    private let interval: Int
    /// From so many pages on the log shall begin anew.
    private let longest: Int
    /// So often what came meanwhile is moved aside, too, if it is much.
    private static let patience = 3
    /// So many pages are little: more than what one commit adds, and enough to try again what could not be done.
    private var little: Int { max(1, interval / 8) }
    /// So many pages the log has.
    private var log = 0
    /// So many of them are known to be in the database.
    private var moved = 0
    /// At so many the next step comes.
    private var due: Int
    /// Whether the log has to begin anew, and only what came lately is left of it.
    private var isEnding = false
    /// Who moves it just now, how many pages the log had when that began, and how many of them had to be moved.
    private var underWay: (place: Place, since: Int, share: Int)?
    /// So often the log was moved since it was long.
    private var tries = 0
    /// Whether the log began anew while somebody was at it.
    private var beganAnew = false

    /// - Parameters:
    ///   - interval: So many pages of log are let gather: what each change of another page costs is the same however often, and the
    ///     disk's two flushes are shared by them.
    ///   - longest: From so many pages on, 64 MB, the log shall begin anew; and so many, or as many as are being moved, may come
    ///     meanwhile.
    init(interval: Int = 2000, longest: Int = 16_000) {
        self.interval = interval
        self.longest = longest
        due = interval
    }

    /// Takes note of a commit.
    ///
    /// - Parameter pages: So many the log has since then.
    /// - Returns: what is to be done now; told of by ``checkpointed(_:)``, if it is to be moved.
    mutating func committed(_ pages: Int) -> Step? {
        if pages <= log { beginAnew() }
        log = pages
        if let underWay { return log - underWay.since >= max(longest, underWay.share) ? .waitForBackground : nil }
        guard log >= due else { return nil }
        begin(isEnding ? .writer : .background)
        return isEnding ? .checkpointOnWriter : .checkpointInBackground
    }

    /// Whether what is left of the log is to be moved aside now, however little it is; told of by ``checkpointed(_:)`` then.
    mutating func beginFinalCheckpoint() -> Bool {
        guard underWay == nil, log > moved else { return false }
        begin(.background)
        return true
    }

    /// Takes note of the end of a checkpoint.
    ///
    /// - Parameter result: What SQLite says of it; `nil` if it failed.
    mutating func checkpointed(_ result: Result?) {
        guard let place = underWay?.place else { return }
        underWay = nil
        // What it says is of a log that is no more.
        if beganAnew {
            beganAnew = false
            return
        }
        moved = result?.moved ?? moved
        // A commit that just ends keeps its own pages from being moved; somebody who reads for long, many more.
        guard let result, result.log - result.moved <= little else {
            isEnding = false
            due = log + little
            return
        }
        if log >= longest { tries += 1 }
        isEnding = log >= longest && (log - moved <= interval || tries >= Self.patience)
        // Behind the writer's own it begins anew with the next page, but for a reader who keeps it from that.
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
