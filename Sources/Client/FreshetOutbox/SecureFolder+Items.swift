// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// Operations on a folder of many files.
extension SecureFolder {
    /// Returns the seconds since a file was last written, according to the wall clock; `nil` if it does not exist.
    borrowing func age(of name: String) -> Int? {
        var facts = stat()
        guard system.fstatat(handle, name, &facts) == 0 else { return nil }
        #if canImport(Darwin)
            return time(nil).subtracting(clamped: facts.st_mtimespec.tv_sec)
        #else
            return time(nil).subtracting(clamped: facts.st_mtim.tv_sec)
        #endif
    }

    /// Whether a file, if it exists, is a regular file that only the current user may access.
    borrowing func isSound(_ name: String) -> Bool {
        var facts = stat()
        guard system.fstatat(handle, name, &facts) == 0 else { return true }
        return facts.st_mode & S_IFMT == S_IFREG && facts.st_mode & 0o077 == 0 && facts.st_uid == geteuid()
    }

    /// Moves a file atomically.
    ///
    /// The change is durable only after both folders are synced.
    ///
    /// - Returns: `false` if the file does not exist.
    borrowing func move(_ name: String, to folder: borrowing SecureFolder, as new: String) throws(SessionStoreError)
        -> Bool
    {
        guard system.renameat(handle, name, folder.handle, new) == 0 else {
            if errno == ENOENT { return false }
            throw .system("move the file")
        }
        // A power failure may undo one half of a move. `rename` leaves two names of one file as they are (POSIX).
        var facts = stat()
        if system.fstatat(handle, name, &facts) == 0, new != name || !isSame(as: folder) { try removeWithoutSync(name) }
        return true
    }

    private borrowing func isSame(as other: borrowing SecureFolder) -> Bool {
        var (facts, others) = (stat(), stat())
        return system.fstat(handle, &facts) == 0 && system.fstat(other.handle, &others) == 0
            && facts.st_ino == others.st_ino && facts.st_dev == others.st_dev
    }

    /// Takes a lock without waiting; the lock's owner may remove its file.
    ///
    /// - Returns: `nil` if another owner holds it.
    borrowing func tryRemovableLock(_ name: String) throws(SessionStoreError) -> FileLock? {
        while true {
            guard let lock = try tryLock(name) else { return nil }
            var (held, named) = (stat(), stat())
            // A lock whose file was removed in between no longer guards anything.
            if lock.whileHeld({ system.fstat(lock.file, &held) }) == 0,
                system.fstatat(handle, name, &named) == 0,
                held.st_ino == named.st_ino, held.st_dev == named.st_dev
            {
                return lock
            }
            lock.release()
        }
    }
}

extension FileLock {
    /// The number in the lock's file; `nil` if it has none, or an invalid one.
    var number: UInt64? {
        let bytes = read(16)
        guard bytes.count == 16 else { return nil }
        return OutboxEntry.number(bytes).flatMap { $0 <= OutboxEntry.largestNumber ? $0 : nil }
    }

    /// Writes a number to the lock's file.
    func write(_ number: UInt64) throws(SessionStoreError) {
        let bytes = Array(OutboxEntry.digits(number).utf8)
        guard overwrite(with: bytes) else { throw .system("write the number") }
    }
}
