// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOConcurrencyHelpers

#if canImport(Glibc)
    import CDispatch
    import Glibc
    private let writeBytes = Glibc.write(_:_:_:)
#else
    import Darwin
    private let writeBytes = Darwin.write(_:_:_:)
#endif

/// An advisory lock on a data folder, held by the one server that uses its SQLite database.
///
/// Before SQLite 3.51.3 a checkpoint of one process could lose pages that another one wrote in the meantime, so only
/// one process may checkpoint. Operator commands do not checkpoint and need no lock. The system releases the lock when
/// its owner exits or crashes.
///
/// A separate file is locked: SQLite's locks are on the database file, and closing any descriptor of that file would
/// release them.
final class DatabaseLock: Sendable {
    /// The open lock file; `nil` once the lock is released.
    private let descriptor: NIOLockedValueBox<Int32?>

    /// Acquires the lock of `folder`.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - timeout: The time that the previous server may take to release it, as in a rolling restart.
    ///   - onWait: Called once, before it waits.
    /// - Throws: `DatabaseStartupError.folderInUse` after the timeout, or the system's error where files cannot be
    ///   locked.
    init(in folder: URL, timeout: Duration, onWait: (String) -> Void) throws {
        let path = folder.appending(path: "freshet.lock").path
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        do { try Self.wait(for: file, path, timeout, onWait) } catch {
            close(file)
            throw error
        }
        // The owner's process id, as the owner sees it, for diagnostics.
        let text = "\(getpid())\n"
        if ftruncate(file, 0) == 0 { _ = writeBytes(file, text, text.utf8.count) }
        descriptor = NIOLockedValueBox(file)
    }

    private static func wait(
        for file: Int32,
        _ path: String,
        _ timeout: Duration,
        _ onWait: (String) -> Void
    ) throws {
        let deadline = ContinuousClock.now + timeout
        var isWaiting = false
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            guard ContinuousClock.now < deadline else { throw DatabaseStartupError.folderInUse(path) }
            if !isWaiting { onWait(path) }
            isWaiting = true
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Releases the lock.
    ///
    /// The file is kept, because another process may have opened it already. It is unlocked before it is closed: a child
    /// process that is just starting has a copy of the descriptor until it executes its program.
    func release() {
        descriptor.withLockedValue { descriptor in
            if let file = descriptor {
                _ = flock(file, LOCK_UN)
                close(file)
            }
            descriptor = nil
        }
    }

    deinit { release() }
}
