// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(Security)
    public import Foundation

    extension KeychainStores {
        /// Creates the stores of a service's sessions in the system's keychain.
        ///
        /// The parameters are those of
        /// ``KeychainStore/init(service:account:accessGroup:accessibility:folder:keepsSessionOverReinstall:)``.
        public init(
            service: String,
            accessGroup: String? = nil,
            accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
            folder: URL? = KeychainStore.defaultFolder,
            keepsSessionOverReinstall: Bool = true
        ) {
            self.init(
                calls: .system,
                service: service,
                accessGroup: accessGroup,
                accessibility: accessibility,
                folder: folder,
                marker: .standard(forService: service, in: folder, on: .current),
                keepsSessionOverReinstall: keepsSessionOverReinstall
            )
        }
    }
#endif
