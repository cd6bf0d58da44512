// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

extension SecureFolder {
    /// Renames files of an earlier version to their current names.
    ///
    /// Several processes may do so at the same time, and one may exit in the middle: each step is atomic and is done
    /// once.
    ///
    /// - Parameter suffixes: The suffixes that may follow the text that a file is named after.
    /// - Throws: ``SessionStoreError`` if a file cannot be renamed. The old name may now belong to another user's
    ///   session.
    borrowing func migrateNames(suffixes: [String]) throws(SessionStoreError) {
        for step in FileNameMigration.steps(try names(), suffixes: suffixes) {
            if system.linkat(handle, step.old, step.new) != 0 {
                guard errno == EEXIST else {
                    if errno == ENOENT { continue }
                    throw .system("rename the file")
                }
                // Both files exist: the process crashed between the two calls, or an earlier version of the app ran in
                // between.
                if try isNewer(step.old, than: step.new), system.renameat(handle, step.old, handle, step.new) != 0,
                    errno != ENOENT
                {
                    throw .system("rename the file")
                }
            }
            // A power failure must not undo the new name and keep the removal of the old one.
            try syncDirectory()
            try removeWithoutSync(step.old)
        }
    }

    /// Whether the first file was written after the second.
    private borrowing func isNewer(_ name: String, than other: String) throws(SessionStoreError) -> Bool {
        guard let facts = try attributes(of: name), let others = try attributes(of: other),
            facts.st_ino != others.st_ino
        else { return false }
        #if canImport(Darwin)
            let (time, otherTime) = (facts.st_mtimespec, others.st_mtimespec)
        #else
            let (time, otherTime) = (facts.st_mtim, others.st_mtim)
        #endif
        return (time.tv_sec, time.tv_nsec) > (otherTime.tv_sec, otherTime.tv_nsec)
    }

    /// Returns the attributes of a file; `nil` if it does not exist.
    private borrowing func attributes(of name: String) throws(SessionStoreError) -> stat? {
        var attributes = stat()
        if system.fstatat(handle, name, &attributes) == 0 { return attributes }
        guard errno == ENOENT else { throw .system("examine the file") }
        return nil
    }
}
