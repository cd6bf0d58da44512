// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    public import Foundation

    /// Stores the session in the kernel's keyring of the current user until the system is restarted.
    ///
    /// It is never written to a disk, and all processes of the user may read it, in any login session. A user other
    /// than root has 20,000 bytes for all keys by default, which is enough for several sessions.
    public final class KernelKeyringStore: SessionStore {
        private let description: String
        private let lock: StoreWriteLock

        /// Creates a store for one session.
        ///
        /// - Parameters:
        ///   - application: The application's name, which no other application that uses the keyring may have.
        ///   - name: The session's name within the application.
        ///   - lockDirectory: The folder of the lock file, the same for all processes that share the session. By
        ///     default `$XDG_RUNTIME_DIR/freshet`, or a folder of the user's state.
        public init(application: String = "freshet", name: String, lockDirectory: URL? = nil) {
            description = KernelKeyringStores.prefix(application) + FileName.escapedKeepingCase(name)
            lock = StoreWriteLock("kernel-keyring", application: application, name: name, directory: lockDirectory)
        }

        /// The key's description, and its lifetime.
        public var name: String { "kernel keyring, key \(description), until the system restarts" }

        /// A file in the lock folder.
        public var processLock: ProcessLock? { lock.processLock }

        /// Returns the stored record; `nil` only if the key does not exist, was revoked or has expired.
        public func read() throws(SessionStoreError) -> SessionRecord? {
            guard let bytes = try UserKeyring.read(description) else { return nil }
            return try SessionRecord(decoding: bytes)
        }

        /// Replaces the stored record if it still equals `expected`, atomically across processes.
        public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
            let turn = try lock.acquire()
            defer { turn.release() }
            guard try read() == expected else { return false }
            try write(record)
            return true
        }

        /// Replaces the stored record, whether or not it can be read.
        public func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
            let turn = try lock.acquire()
            defer { turn.release() }
            try write(record)
        }

        private func write(_ record: SessionRecord?) throws(SessionStoreError) {
            guard let record else { return try UserKeyring.remove(description) }
            try UserKeyring.write(try record.encoded(), as: description)
        }
    }
#endif
