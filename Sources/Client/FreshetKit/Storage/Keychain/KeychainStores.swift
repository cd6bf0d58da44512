// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// Stores several sessions in the keychain: one service, with an account for each session.
public struct KeychainStores: SessionStores {
    private let item: KeychainItem
    private let installation: ReinstallDetector
    private let folder: URL?

    package init(
        calls: KeychainCalls,
        service: String,
        accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
        folder: URL?,
        marker: InstallationMarker?,
        keepsSessionOverReinstall: Bool = true
    ) {
        item = KeychainItem(
            calls: calls,
            service: service,
            accessGroup: accessGroup,
            accessibility: accessibility
        )
        installation = ReinstallDetector(marker, of: item, keepsSessionOverReinstall: keepsSessionOverReinstall)
        self.folder = folder
    }

    /// A description with the service of the items.
    public var name: String { "keychain items \(item.service)" }

    /// Returns the accounts for which the service has an item.
    public func names() throws(SessionStoreError) -> [String] {
        var items = try item.list()
        if try installation.reconcile(isFound: !items.isEmpty) { items = try item.list() }
        return items.map(\.account).sorted()
    }

    /// Returns the store in the item of this account.
    public func store(named name: String) -> any SessionStore { keychainStore(named: name) }

    package func keychainStore(named name: String) -> KeychainStore {
        KeychainStore(item: item.with(account: name), installation: installation, folder: folder)
    }
}
