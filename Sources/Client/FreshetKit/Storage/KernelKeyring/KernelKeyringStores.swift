// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    public import Foundation

    /// Keeps several sessions in the kernel's memory, each in a ``KernelKeyringStore``.
    public struct KernelKeyringStores: SessionStores {
        private let application: String
        private let lockDirectory: URL?

        /// The sessions of `application`.
        ///
        /// - Parameters:
        ///   - application: Whose sessions they are; all users of one keyring need different ones.
        ///   - lockDirectory: Where the lock files lie; see ``KernelKeyringStore/init(application:name:lockDirectory:)``.
        public init(application: String = "freshet", lockDirectory: URL? = nil) {
            self.application = application
            self.lockDirectory = lockDirectory
        }

        /// Whose keys they are, and how long they last.
        public var name: String { "kernel keyring, keys \(Self.prefix(application))…, until the system restarts" }

        /// The names under which a key is in the user's keyring.
        public func names() throws(SessionStoreError) -> [String] {
            let prefix = Self.prefix(application)
            return try UserKeyring.descriptions().compactMap { description in
                guard description.hasPrefix(prefix) else { return nil }
                return FileName.unescapedKeepingCase(String(description.dropFirst(prefix.count)))
            }.sorted()
        }

        /// The store in the key of this name.
        public func store(named name: String) -> any SessionStore {
            KernelKeyringStore(application: application, name: name, lockDirectory: lockDirectory)
        }

        /// The prefix of the descriptions of an application's keys; no escaped name contains the colon.
        static func prefix(_ application: String) -> String { FileName.escapedKeepingCase(application) + ":" }
    }
#endif
