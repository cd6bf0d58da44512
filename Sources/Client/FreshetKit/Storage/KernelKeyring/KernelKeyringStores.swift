// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    public import Foundation

    /// Stores several sessions in the kernel's keyring, each in a ``KernelKeyringStore``.
    public struct KernelKeyringStores: SessionStores {
        private let application: String
        private let lockDirectory: URL?

        /// Creates the stores of an application's sessions.
        ///
        /// - Parameters:
        ///   - application: The application's name, which no other application that uses the keyring may have.
        ///   - lockDirectory: The folder of the lock files; see
        ///     ``KernelKeyringStore/init(application:name:lockDirectory:)``.
        public init(application: String = "freshet", lockDirectory: URL? = nil) {
            self.application = application
            self.lockDirectory = lockDirectory
        }

        /// The prefix of the keys' descriptions, and their lifetime.
        public var name: String { "kernel keyring, keys \(Self.prefix(application))…, until the system restarts" }

        /// Returns the names that have a key in the user's keyring.
        public func names() throws(SessionStoreError) -> [String] {
            let prefix = Self.prefix(application)
            return try UserKeyring.descriptions().compactMap { description in
                guard description.hasPrefix(prefix) else { return nil }
                return FileName.unescapedKeepingCase(String(description.dropFirst(prefix.count)))
            }.sorted()
        }

        /// Returns the store in the key of this name.
        public func store(named name: String) -> any SessionStore {
            KernelKeyringStore(application: application, name: name, lockDirectory: lockDirectory)
        }

        /// Returns the prefix of the descriptions of an application's keys; an escaped name contains no colon.
        static func prefix(_ application: String) -> String { FileName.escapedKeepingCase(application) + ":" }
    }
#endif
