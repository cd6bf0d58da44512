// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(Security)
    public import Foundation

    extension KeychainStore {
        /// Creates a store in the system's keychain.
        ///
        /// It neither reads nor writes.
        ///
        /// - Parameters:
        ///   - service: The service of the item: an identifier of the app, such as `com.example.app.session`.
        ///   - account: Distinguishes several sessions of one service; to list them, use ``KeychainStores``.
        ///   - accessGroup: The group whose apps and extensions share the session, including the prefix, as in the
        ///     entitlement; `nil` for the app's own.
        ///   - accessibility: The times at which the item can be read. The next write of the session applies it to an
        ///     existing item as well.
        ///   - folder: The folder of a small file that marks this installation, and of the lock that lets one process
        ///     refresh at a time. If several processes share the session, use a folder in the app group's container;
        ///     `nil` for neither file.
        ///   - keepsSessionOverReinstall: Whether to keep a session of an earlier installation, because keychain items
        ///     remain after the app is deleted. With `false`, such a session is detected by the marker in `folder` and
        ///     removed; without a folder it is kept. All processes that share the session must use the same folder, or
        ///     one would remove the others' session. On Apple TV, which does not keep an app's files, the session is
        ///     always kept.
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

        /// The app's own folder, which is deleted with the app.
        ///
        /// On Apple TV, an app can write only to its caches; the folder then contains only locks.
        public static var defaultFolder: URL? {
            FileManager.default.urls(for: Platform.current.standardDirectory, in: .userDomainMask).first?
                .appending(path: "Freshet")
        }
    }

    extension SessionStore where Self == KeychainStore {
        /// Creates a store in the keychain with the default parameters.
        ///
        /// The service identifies the item: an identifier of the app, such as `com.example.app.session`.
        public static func keychain(service: String) -> KeychainStore { KeychainStore(service: service) }
    }
#endif
