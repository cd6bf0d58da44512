// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    internal import Foundation

    /// Makes reading, comparing and writing one step where a store cannot compare and set by itself.
    struct StoreWriteLock: Sendable {
        private let directory: URL
        private let file: String

        /// - Parameters:
        ///   - store: The kind of store, as no two kinds share a lock.
        ///   - application: Whose sessions they are.
        ///   - name: Which of them.
        ///   - directory: Where the lock files lie; the folder that all of this user's processes agree on if left out.
        init(_ store: String, application: String, name: String, directory: URL?) {
            self.directory = directory ?? LockFolder.standard()
            // The colon is not in any escaped name, so no other two make the same file.
            file = "\(store).\(FileName.escaped(application)):\(FileName.escaped(name))"
        }

        /// Waits for this process's turn, two seconds at most.
        func acquire() throws(SessionStoreError) -> FileLock {
            guard let folder = try SecureFolder.open(directory.standardizedFileURL.path, creating: true) else {
                throw SessionStoreError(.failed, "there is no folder for the lock")
            }
            return try folder.lock("\(file).lock")
        }

        /// The lock for refreshes, beside it.
        var processLock: ProcessLock { ProcessLock(directory: directory, file: "\(file).refresh") }
    }
#endif
