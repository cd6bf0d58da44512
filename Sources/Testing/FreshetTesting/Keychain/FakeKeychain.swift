// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

/// An in-memory keychain, for tests with a locked device, a reinstalled app or a failing keychain.
///
/// It behaves like a device's keychain: one item per service, account, access group and synchronisation flag; items
/// that are not readable while the device is locked; updates that keep the attributes they do not name.
///
///     let keychain = FakeKeychain()
///     let session = try AuthSession(contract: contract, baseURL: url, store: keychain.store(service: "com.example.app"))
///     keychain.device = .beforeFirstUnlock
public final class FakeKeychain: Sendable {
    /// The lock state of the device, which determines the readable items.
    public enum Device: Sendable {
        /// All items can be read.
        case unlocked
        /// Only items accessible after the first unlock can be read.
        case locked
        /// No item can be read: the device has started and was not unlocked yet.
        case beforeFirstUnlock
    }

    /// A function of the keychain.
    public enum Call: String, Sendable, CaseIterable {
        /// `SecItemAdd`.
        case add
        /// `SecItemCopyMatching`.
        case copyMatching
        /// `SecItemUpdate`.
        case update
        /// `SecItemDelete`.
        case delete
    }

    struct State {
        var device = Device.unlocked
        var hidesItemsBeforeFirstUnlock = false
        var isAppMarked = false
        var items: [FakeKeychainItem] = []
        var faults: [FakeKeychainFault] = []
        var journal: [FakeKeychainEntry] = []
    }

    let state = Locked(State())

    /// Creates an empty keychain of an unlocked device.
    public init() {}

    /// The lock state of the device.
    public var device: Device {
        get { state.withLock { $0.device } }
        set { state.withLock { $0.device = newValue } }
    }

    /// Whether queries before the first unlock report unreadable items as not found instead of failing.
    ///
    /// Devices show both behaviours.
    public var hidesItemsBeforeFirstUnlock: Bool {
        get { state.withLock { $0.hidesItemsBeforeFirstUnlock } }
        set { state.withLock { $0.hidesItemsBeforeFirstUnlock = newValue } }
    }

    /// Deletes and reinstalls the app: its files are deleted, its keychain items are kept.
    public func reinstallApp() { state.withLock { $0.isAppMarked = false } }

    /// Makes calls fail with a status.
    ///
    /// - Parameters:
    ///   - call: The function that fails.
    ///   - status: The `OSStatus` that it returns.
    ///   - times: The number of calls that fail; `nil` until ``recover()``.
    ///   - takesEffect: Whether the call takes effect although it returns `status`.
    public func fail(_ call: Call, with status: Int32, times: Int? = 1, takesEffect: Bool = false) {
        let fault = FakeKeychainFault(
            call: call,
            status: KeychainStatus(rawValue: status),
            remaining: times,
            takesEffect: takesEffect
        )
        state.withLock { $0.faults.append(fault) }
    }

    /// Removes all faults.
    public func recover() { state.withLock { $0.faults = [] } }

    /// The calls so far, without their data.
    public var journal: [FakeKeychainEntry] { state.withLock { $0.journal } }

    /// The number of items.
    public var itemCount: Int { state.withLock { $0.items.count } }

    // MARK: Stores

    /// Returns a store in this keychain; the parameters are those of a `KeychainStore`.
    public func store(
        service: String,
        account: String = "session",
        accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly,
        keepsSessionOverReinstall: Bool = true
    ) -> KeychainStore {
        KeychainStores(
            calls: calls(),
            service: service,
            accessibility: accessibility,
            folder: nil,
            marker: marker,
            keepsSessionOverReinstall: keepsSessionOverReinstall
        ).keychainStore(named: account)
    }

    /// Returns the stores of a service in this keychain.
    public func stores(service: String, keepsSessionOverReinstall: Bool = true) -> KeychainStores {
        KeychainStores(
            calls: calls(),
            service: service,
            folder: nil,
            marker: marker,
            keepsSessionOverReinstall: keepsSessionOverReinstall
        )
    }

    /// Returns the items that an older version of the app left in this keychain.
    public func items(service: String? = nil) -> LegacyKeychainItems {
        LegacyKeychainItems(calls: calls(), service: service, marker: marker)
    }
}
