// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    public import Foundation

    /// Keeps the session with the desktop's Secret Service: GNOME's keyring, KDE's wallet, KeePassXC.
    ///
    /// libsecret is loaded when it is first needed; a program that has this store runs without it, too. The user is
    /// never asked to unlock anything: a locked collection, no bus and a service that does not answer in time are
    /// ``SessionStoreError``, and never mean that nothing is stored.
    public final class SecretServiceStore: SessionStore {
        private let attributes: [String: String]
        private let label: String
        private let lock: StoreWriteLock
        private let caller: SecretServiceClient

        /// A store for one session.
        ///
        /// - Parameters:
        ///   - application: Whose sessions they are; all users of one Secret Service need different ones.
        ///   - name: Which of the application's sessions it is.
        ///   - timeout: How long to wait for the service at each call.
        ///   - lockDirectory: Where the lock file lies: the same for all who share the session. By default
        ///     `$XDG_RUNTIME_DIR/freshet`, or a folder of the user's state.
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
            lock = StoreWriteLock("secret-service", application: application, name: name, directory: lockDirectory)
            self.caller = caller
        }

        /// The item's label.
        public var name: String { "Secret Service, item \"\(label)\"" }

        /// A file in the lock folder.
        public var processLock: ProcessLock? { lock.processLock }

        /// Returns the stored record; `nil` only if the service is open and has no such item.
        public func read() throws(SessionStoreError) -> SessionRecord? {
            try caller.withConnection { [attributes] service throws(SecretServiceError) in
                try Self.record(in: service, attributes)
            }
        }

        /// Puts `record` in the place of `expected`, if that is still what rests here, as one step for all processes.
        public func replace(_ expected: SessionRecord?, with record: SessionRecord?) throws(SessionStoreError) -> Bool {
            let bytes = try record?.encoded()
            return try caller.withConnection(holding: lock.acquire()) {
                [attributes, label] service throws(SecretServiceError) in
                guard try Self.record(in: service, attributes) == expected else { return false }
                try Self.put(bytes, in: service, label, attributes)
                return true
            }
        }

        /// Puts `record` in the place of whatever rests here, readable or not.
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
