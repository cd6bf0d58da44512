// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Dispatch
import Foundation
import NIOConcurrencyHelpers

/// Has the system write SQLite's log to the disk while the writer goes on.
///
/// Before the log is moved into the database it must be on the disk, and the writer, with all who wait for it, waits for that.
/// What is there already takes no time then. Nothing depends on it: a log holds no lock of SQLite's, and what is written a second
/// time is written the same.
final class LogWriteback: Sendable {
    private struct State {
        /// Written to the log since the last time.
        var pages = 0
        var isUnderWay = false
    }

    /// So many pages of log, 4 MB, bring the next time: half of what the most frequent checkpoints move.
    static let interval = 1000

    private let path: String
    private let queue = DispatchQueue(label: "freshet.log-writeback", qos: .utility)
    private let state = NIOLockedValueBox(State())

    /// - Parameter path: Where the log lies, or will.
    init(path: String) {
        self.path = path
    }

    /// Takes note that what is in the log is on the disk.
    func logWasMoved() { state.withLockedValue { $0.pages = 0 } }

    /// Takes note of pages that were written to the log, and begins if they are enough; never waits.
    func logHasGrown(by pages: Int) {
        let mustStart = state.withLockedValue { state in
            state.pages += pages
            guard state.pages >= Self.interval, !state.isUnderWay else { return false }
            state = State(isUnderWay: true)
            return true
        }
        guard mustStart else { return }
        queue.async { [self] in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return state.withLockedValue { $0.isUnderWay = false } }
            defer { close(descriptor) }
            // What fails here is SQLite's to find out, and is not to be hidden from it by another try.
            if fsync(descriptor) == 0 { state.withLockedValue { $0.isUnderWay = false } }
        }
    }
}
