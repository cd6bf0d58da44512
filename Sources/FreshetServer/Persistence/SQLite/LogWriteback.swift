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
    /// So many transactions lie between two times.
    static let interval = 160

    private let path: String
    private let queue = DispatchQueue(label: "freshet.log-writeback", qos: .utility)
    private let isUnderWay = NIOLockedValueBox(false)

    /// - Parameter path: Where the log lies, or will.
    init(path: String) {
        self.path = path
    }

    /// Begins, unless it is under way; never waits.
    func start() {
        let mustStart = isUnderWay.withLockedValue { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard mustStart else { return }
        queue.async { [self] in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return isUnderWay.withLockedValue { $0 = false } }
            defer { close(descriptor) }
            // What fails here is SQLite's to find out, and is not to be hidden from it by another try.
            if fsync(descriptor) == 0 { isUnderWay.withLockedValue { $0 = false } }
        }
    }
}
