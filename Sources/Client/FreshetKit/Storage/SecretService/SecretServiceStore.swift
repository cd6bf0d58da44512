// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    public import Foundation

    /// Stores the session in the desktop's Secret Service: GNOME Keyring, KWallet, KeePassXC.
    ///
    /// libsecret is loaded at the first use, so a program with this store also runs without it. The user is never
    /// prompted to unlock a collection: a locked collection, a missing bus and a timeout are reported as
    /// ``SessionStoreError``, never as an empty store.
    public final class SecretServiceStore: SessionStore {
        private let attributes: [String: String]
        private let label: String
        private let lock: StoreWriteLock
        private let caller: SecretServiceClient

        /// Creates a store for one session.
        ///
        /// - Parameters:
        ///   - application: The application's name, which no other application that uses the Secret Service may have.
        ///   - name: The session's name within the application.
        ///   - timeout: The timeout of each call to the service.
        ///   - lockDirectory: The folder of the lock file, the same for all processes that share the session. By
        ///     default `$XDG_RUNTIME_DIR/freshet`, or a folder of the user's state.
        public convenience init(
            application: String = "freshet",
            name: String,
            timeout: Duration = .seconds(1),
            lockDirectory: URL? = nil
        ) {
            let caller = SecretServiceClient(timeout: timeout)
            self.init(application: application, name: name, lockDirectory: lockDirectory, caller: caller)
        }

        init(application: String, name: String, lockDirectory: URL?, caller: SecretServiceClient) {
            attributes = ["application": application, "name": name]
            label = "Freshet session \(name)"
            lock = StoreWriteLock(
                "secret-service",
                application: application,
                name: name,
                directory: lockDirectory,
                // An owner of another process keeps it during a call.
                timeout: max(caller.timeout.bounded * 2, SecureFolder.lockTimeout)
            )
            self.caller = caller
        }

        /// The item's label.
        public var name: String { "Secret Service, item \"\(label)\"" }

        /// A file in the lock folder.
        public var processLock: ProcessLock? { lock.processLock }

        /// Returns the stored record; `nil` only if the service is unlocked and has no such item.
        public func read() throws(SessionStoreError) -> SessionRecord? {
            try caller.withConnection { [attributes] service throws(SecretServiceError) in
                try Self.record(in: service, attributes)
            }
        }

        /// Replaces the stored record if it still equals `expected`, atomically across processes.
        public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
            let bytes = try record?.encoded()
            return try caller.withConnection(holding: lock.acquire()) {
                [attributes, label] service throws(SecretServiceError) in
                guard try Self.record(in: service, attributes) == expected else { return false }
                try Self.put(bytes, in: service, label, attributes)
                return true
            }
        }

        /// Replaces the stored record, whether or not it can be read.
        public func overwrite(with record: SessionRecord?) throws(SessionStoreError) {
            let bytes = try record?.encoded()
            try caller.withConnection(holding: lock.acquire()) {
                [attributes, label] service throws(SecretServiceError) in
                try Self.put(bytes, in: service, label, attributes)
            }
        }

        private static func record(
            in service: SecretService,
            _ attributes: [String: String]
        ) throws(SecretServiceError) -> SessionRecord? {
            guard let bytes = try service.secret(attributes) else { return nil }
            do throws(SessionStoreError) { return try SessionRecord(decoding: bytes) } catch { throw .permanent(error) }
        }

        private static func put(
            _ bytes: Data?,
            in service: SecretService,
            _ label: String,
            _ attributes: [String: String]
        ) throws(SecretServiceError) {
            guard let bytes else { return try service.remove(attributes) }
            try service.put(bytes, label: label, attributes)
        }
    }
#endif
