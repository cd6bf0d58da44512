// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    public import Foundation
    internal import FreshetWire

    /// Stores several sessions in the Secret Service, each in a ``SecretServiceStore``.
    public struct SecretServiceStores: SessionStores {
        private let application: String
        private let lockDirectory: URL?
        private let caller: SecretServiceClient

        /// Creates the stores of an application's sessions.
        ///
        /// - Parameters:
        ///   - application: The application's name, which no other application that uses the Secret Service may have.
        ///   - timeout: The timeout of each call to the service.
        ///   - lockDirectory: The folder of the lock files; see ``SecretServiceStore``.
        public init(application: String = "freshet", timeout: Duration = .seconds(1), lockDirectory: URL? = nil) {
            self.application = application
            self.lockDirectory = lockDirectory
            caller = SecretServiceClient(timeout: timeout)
        }

        /// A description with the application of the items.
        public var name: String { "Secret Service, items of \(application)" }

        /// Returns the names of the application's items.
        public func names() throws(SessionStoreError) -> [String] {
            let names = try caller.withConnection { [application] service throws(SecretServiceError) in
                try service.values(of: "name", in: ["application": application])
            }
            return Set(names.map(ExactText.init)).map(\.text).sorted()
        }

        /// Returns the store in the item of this name.
        public func store(named name: String) -> any SessionStore {
            SecretServiceStore(application: application, name: name, lockDirectory: lockDirectory, caller: caller)
        }
    }
#endif
