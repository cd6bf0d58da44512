// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    public import Foundation

    /// Selects a secret store on a Linux system: the Secret Service, or else the kernel's keyring.
    ///
    /// Select once, when the user signs in, store the result, and use that store from then on: at the next launch
    /// another store may be usable, but empty. A file is never selected, because it has to be an explicit choice.
    public struct SecretStoreResolver: Sendable {
        private let application: String
        private let timeout: Duration
        private let lockDirectory: URL?

        /// Creates a resolver for the sessions of an application.
        ///
        /// - Parameters:
        ///   - application: The application's name.
        ///   - timeout: The timeout of each call to the Secret Service.
        ///   - lockDirectory: The folder of the lock files; see
        ///     ``KernelKeyringStore/init(application:name:lockDirectory:)``.
        public init(application: String = "freshet", timeout: Duration = .seconds(1), lockDirectory: URL? = nil) {
            self.application = application
            self.timeout = timeout
            self.lockDirectory = lockDirectory
        }

        /// Returns the first store that can be used now.
        ///
        /// - Throws: ``SessionStoreError`` with the problem of each store, if none can be used.
        public func firstUsable() throws(SessionStoreError) -> SecretStoreKind {
            var obstacles: [String] = []
            for kind in SecretStoreKind.allCases {
                do throws(SessionStoreError) {
                    try check(kind)
                    return kind
                } catch { obstacles.append("\(kind.rawValue): \(error.reason)") }
            }
            throw SessionStoreError(.locked, obstacles.joined(separator: "; "))
        }

        /// Writes a record without a secret to a store, reads it and deletes it.
        public func check(_ kind: SecretStoreKind) throws(SessionStoreError) {
            let probe = "\(application).probe"
            // Without a lock, two concurrent checks would delete each other's record.
            let turn = try StoreWriteLock(kind.rawValue, application: probe, name: "turn", directory: lockDirectory)
                .acquire()
            defer { turn.release() }
            let store = stores(kind, of: probe).store(named: "probe")
            let record = SessionRecord(origin: "https://probe.invalid:443")
            try store.overwrite(with: record)
            guard try store.read() == record else {
                throw SessionStoreError(.failed, "a stored item cannot be read back")
            }
            try store.overwrite(with: nil)
        }

        /// Returns the stores of the application's sessions in a kind of store.
        public func stores(_ kind: SecretStoreKind) -> any SessionStores { stores(kind, of: application) }

        private func stores(_ kind: SecretStoreKind, of application: String) -> any SessionStores {
            switch kind {
            case .secretService:
                SecretServiceStores(application: application, timeout: timeout, lockDirectory: lockDirectory)
            case .kernelKeyring:
                KernelKeyringStores(application: application, lockDirectory: lockDirectory)
            }
        }
    }
#endif
