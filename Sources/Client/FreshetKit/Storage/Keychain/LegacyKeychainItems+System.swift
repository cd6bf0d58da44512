// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(Security)
    public import Foundation

    extension LegacyKeychainItems {
        /// Creates a source for items in the system's keychain.
        ///
        /// - Parameters:
        ///   - service: The service that the older version used, if the contract does not state it. With `nil`, an item
        ///     without a service is used, or else the only item with its name; items of other libraries are never
        ///     removed.
        ///   - accessGroup: The access group that the older version used.
        ///   - usesDataProtectionKeychain: Whether the older version used the data-protection keychain on macOS.
        ///   - folder: The folder of a file that shows whether the device was unlocked since it started.
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
