// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

/// A keychain in memory, for tests of what an app does on a locked device, after a reinstall, or when the keychain fails.
///
/// It answers as a device does: one item for each service, account, access group and kind of synchronisation; items that
/// cannot be read while the device is locked; changes that leave what they do not name.
///
///     let keychain = FakeKeychain()
///     let session = try AuthSession(contract: contract, baseURL: url, store: keychain.store(service: "com.example.app"))
///     keychain.device = .beforeFirstUnlock
public final class FakeKeychain: Sendable {
    /// What the device lets be read.
    public enum Device: Sendable {
        /// Everything.
        case unlocked
        /// Items for after the first unlock.
        case locked
        /// Nothing: the device has started, and nobody unlocked it yet.
        case beforeFirstUnlock
    }

    /// One of the keychain's calls.
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

    /// An empty keychain of an unlocked device.
    public init() {}

    /// What the device lets be read.
    public var device: Device {
        get { state.withLock { $0.device } }
        set { state.withLock { $0.device = newValue } }
    }

    /// Whether items that cannot be read before the first unlock are "not found" instead of being refused.
    ///
    /// Devices were seen to do either.
    public var hidesItemsBeforeFirstUnlock: Bool {
        get { state.withLock { $0.hidesItemsBeforeFirstUnlock } }
        set { state.withLock { $0.hidesItemsBeforeFirstUnlock = newValue } }
    }

    /// Deletes the app and installs it anew: its files are gone, its items are not.
    public func reinstallApp() { state.withLock { $0.isAppMarked = false } }

    /// Makes calls fail.
    ///
    /// - Parameters:
    ///   - call: Which.
    ///   - status: What they answer, an `OSStatus`.
    ///   - times: How many of them; `nil` stands for all until ``recover()``.
    ///   - takesEffect: Whether a call does what it is asked for, and only its answer is lost.
    public func fail(_ call: Call, with status: Int32, times: Int? = 1, takesEffect: Bool = false) {
        let fault = FakeKeychainFault(
            call: call,
            status: KeychainStatus(rawValue: status),
            remaining: times,
            takesEffect: takesEffect
        )
        state.withLock { $0.faults.append(fault) }
    }

    /// Lets every call do what it should from now on.
    public func recover() { state.withLock { $0.faults = [] } }

    /// The calls so far, without what they carried.
    public var journal: [FakeKeychainEntry] { state.withLock { $0.journal } }

    /// How many items there are.
    public var itemCount: Int { state.withLock { $0.items.count } }

    // MARK: What uses it

    /// A store in this keychain; the parameters are those of a store in the system's.
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

    /// The sessions of a service in this keychain.
    public func stores(service: String, keepsSessionOverReinstall: Bool = true) -> KeychainStores {
        KeychainStores(
            calls: calls(),
            service: service,
            folder: nil,
            marker: marker,
            keepsSessionOverReinstall: keepsSessionOverReinstall
        )
    }

    /// The items that an older version of the app left in this keychain.
    public func items(service: String? = nil) -> LegacyKeychainItems {
        LegacyKeychainItems(calls: calls(), service: service, marker: marker)
    }
}
