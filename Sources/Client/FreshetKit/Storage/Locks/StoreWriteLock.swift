// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    internal import Foundation

    /// Makes reading, comparing and writing atomic for a store without a compare-and-set operation.
    struct StoreWriteLock: Sendable {
        private let directory: URL
        private let file: String
        private let timeout: Duration

        /// Creates a lock.
        ///
        /// - Parameters:
        ///   - store: The kind of store; each kind has its own locks.
        ///   - application: The application's name.
        ///   - name: The session's name within the application.
        ///   - directory: The folder of the lock files; by default the folder that all processes of the user share.
        ///   - timeout: How long to wait for an owner; longer than one keeps the lock.
        init(
            _ store: String,
            application: String,
            name: String,
            directory: URL?,
            timeout: Duration = SecureFolder.lockTimeout
        ) {
            self.timeout = timeout
            self.directory = directory ?? LockFolder.standard()
            // An escaped name contains no colon, so the file name is unique.
            file = "\(store).\(FileName.escaped(application)):\(FileName.escaped(name))"
        }

        /// Acquires the lock, waiting for owners.
        func acquire() throws(SessionStoreError) -> FileLock {
            guard let folder = try SecureFolder.open(directory.standardizedFileURL.path, creating: true) else {
                throw SessionStoreError(.failed, "there is no folder for the lock")
            }
            return try folder.lock("\(file).lock", timeout: timeout)
        }

        /// The lock for refreshes, in the same folder.
        var processLock: ProcessLock { ProcessLock(directory: directory, file: "\(file).refresh") }
    }
#endif
