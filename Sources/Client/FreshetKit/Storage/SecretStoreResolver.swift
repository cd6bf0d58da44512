// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    public import Foundation

    /// Finds the secret store to use on a Linux system: the Secret Service, else the kernel's keyring, else none.
    ///
    /// Ask once, when somebody signs in, record the answer, and use that store from then on: the next launch may find
    /// another one open, and nothing in it. A file is never chosen here; it is for people who ask for it.
    public struct SecretStoreResolver: Sendable {
        private let application: String
        private let timeout: Duration
        private let lockDirectory: URL?

        /// The chain for the sessions of `application`.
        ///
        /// - Parameters:
        ///   - application: Whose sessions they are.
        ///   - timeout: How long to wait for the Secret Service at each call.
        ///   - lockDirectory: Where lock files lie; see ``KernelKeyringStore/init(application:name:lockDirectory:)``.
        public init(application: String = "freshet", timeout: Duration = .seconds(1), lockDirectory: URL? = nil) {
            self.application = application
            self.timeout = timeout
            self.lockDirectory = lockDirectory
        }

        /// The first store of the chain that can be used now.
        ///
        /// - Throws: ``SessionStoreError`` with what is in the way of each, if there is none.
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

        /// Puts a record without a secret into a store, reads it and takes it out again.
        public func check(_ kind: SecretStoreKind) throws(SessionStoreError) {
            let probe = "\(application).probe"
            // Two who probe at once would take the record out from under each other.
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

        /// The sessions of the application in a store of the chain.
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
