// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    public import Foundation

    /// Keeps several sessions with the Secret Service, each in a ``SecretServiceStore``.
    public struct SecretServiceStores: SessionStores {
        private let application: String
        private let lockDirectory: URL?
        private let caller: SecretServiceClient

        /// The sessions of `application`.
        ///
        /// - Parameters:
        ///   - application: Whose sessions they are; all users of one Secret Service need different ones.
        ///   - timeout: How long to wait for the service at each call.
        ///   - lockDirectory: Where the lock files lie; see ``SecretServiceStore``.
        public init(application: String = "freshet", timeout: Duration = .seconds(1), lockDirectory: URL? = nil) {
            self.application = application
            self.lockDirectory = lockDirectory
            caller = SecretServiceClient(timeout: timeout)
        }

        /// Whose items they are.
        public var name: String { "Secret Service, items of \(application)" }

        /// The names of the application's items.
        public func names() throws(SessionStoreError) -> [String] {
            let names = try caller.withConnection { [application] service throws(SecretServiceError) in
                try service.values(of: "name", in: ["application": application])
            }
            return Set(names).sorted()
        }

        /// The store in the item of this name.
        public func store(named name: String) -> any SessionStore {
            SecretServiceStore(application: application, name: name, lockDirectory: lockDirectory, caller: caller)
        }
    }
#endif
