// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    public import Foundation

    /// Keeps the session in the kernel's memory, in this user's keyring, until the system is restarted.
    ///
    /// Nothing of it ever lies on a disk, and all processes of the user may read it, in whichever login they run. A user
    /// other than root has 20,000 bytes for all keys by default, which is enough for several sessions.
    public final class KernelKeyringStore: SessionStore {
        private let description: String
        private let lock: StoreWriteLock

        /// A store for one session.
        ///
        /// - Parameters:
        ///   - application: Whose sessions they are; all users of one keyring need different ones.
        ///   - name: Which of the application's sessions it is.
        ///   - lockDirectory: Where the lock file lies: the same for all who share the session. By default
        ///     `$XDG_RUNTIME_DIR/freshet`, or a folder of the user's state.
        public init(application: String = "freshet", name: String, lockDirectory: URL? = nil) {
            description = KernelKeyringStores.prefix(application) + FileName.escapedKeepingCase(name)
            lock = StoreWriteLock("kernel-keyring", application: application, name: name, directory: lockDirectory)
        }

        /// The key's description, and how long it lasts.
        public var name: String { "kernel keyring, key \(description), until the system restarts" }

        /// A file in the lock folder.
        public var processLock: ProcessLock? { lock.processLock }

        /// Returns the stored record; `nil` only if there is no key, or it was revoked or has expired.
        public func read() throws(SessionStoreError) -> SessionRecord? {
            guard let bytes = try UserKeyring.read(description) else { return nil }
            return try SessionRecord(decoding: bytes)
        }

        /// Puts `record` in the place of `expected`, if that is still what rests here, as one step for all processes.
        public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
            let turn = try lock.acquire()
            defer { turn.release() }
            guard try read() == expected else { return false }
            try write(record)
            return true
        }

        /// Puts `record` in the place of whatever rests here, readable or not.
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
