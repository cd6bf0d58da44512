// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(Security)
    public import Foundation

    extension LegacyKeychainItems {
        /// Items in this system's keychain.
        ///
        /// - Parameters:
        ///   - service: The service that the older version used, where the contract does not say it. With `nil` an item
        ///     without a service is found, or else the only item of its name; other libraries' items are never removed.
        ///   - accessGroup: The access group that the older version used.
        ///   - usesDataProtectionKeychain: Whether it asked for the data-protection keychain on macOS.
        ///   - folder: Where a file lies that tells whether the device was unlocked since it started.
        public init(
            service: String? = nil,
            accessGroup: String? = nil,
            usesDataProtectionKeychain: Bool = true,
            folder: URL? = KeychainStore.defaultFolder
        ) {
            self.init(
                calls: .system,
                service: service,
                accessGroup: accessGroup,
                usesDataProtectionKeychain: usesDataProtectionKeychain,
                marker: Platform.current.keepsFiles ? folder.map { .file("older-items", in: $0) } : nil
            )
        }
    }
#endif
