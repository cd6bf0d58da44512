// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(Security)
    public import Foundation

    extension KeychainItems {
        /// Items in this system's keychain.
        ///
        /// - Parameters:
        ///   - service: What the older version gave as service, where the contract does not say it; `nil` finds the item
        ///     of any service, which is right where it gave none.
        ///   - accessGroup: What it gave as access group.
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
                marker: folder.map { .file("older-items", in: $0) }
            )
        }
    }
#endif
