// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(Security)
    public import Foundation

    extension KeychainStore {
        /// A store in this system's keychain.
        ///
        /// Nothing is read or written for that.
        ///
        /// - Parameters:
        ///   - service: The service of the item: an identifier of the app, such as `com.example.app.session`.
        ///   - account: Tells several sessions of one service apart; to list them, use ``KeychainStores``.
        ///   - accessGroup: The group whose apps and extensions share the session, with the prefix that the entitlement
        ///     has. `nil` is the app's own.
        ///   - accessibility: When the item can be read. An item that an older version made with another one is changed
        ///     when the session is next stored.
        ///   - folder: Where a small file that marks this installation lies, and the lock that lets one process at a
        ///     time refresh. Where several processes share the session, name a folder of the app group's container;
        ///     `nil` does without both.
        ///   - keepsSessionOverReinstall: The keychain outlives the app. With `false`, a session that an earlier
        ///     installation left is removed, which the marker in `folder` tells; without a folder it is kept. All
        ///     processes that share the session must then name the same folder, or one takes the others' for left over.
        ///     On Apple TV, which keeps no files of an app, it is kept.
        public init(
            service: String,
            account: String = "session",
            accessGroup: String? = nil,
            accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
            folder: URL? = KeychainStore.defaultFolder,
            keepsSessionOverReinstall: Bool = true
        ) {
            self = KeychainStores(
                service: service,
                accessGroup: accessGroup,
                accessibility: accessibility,
                folder: folder,
                keepsSessionOverReinstall: keepsSessionOverReinstall
            ).keychainStore(named: account)
        }

        /// A folder of the app's own, which goes when the app is deleted.
        ///
        /// On Apple TV it is among the caches, since an app may write nowhere else; it only holds locks then.
        public static var defaultFolder: URL? {
            FileManager.default.urls(for: Platform.current.standardDirectory, in: .userDomainMask).first?
                .appending(path: "Freshet")
        }
    }

    extension SessionStore where Self == KeychainStore {
        /// The keychain, with its defaults.
        ///
        /// The item is known by the service: an identifier of the app, such as `com.example.app.session`.
        public static func keychain(service: String) -> KeychainStore { KeychainStore(service: service) }
    }
#endif
