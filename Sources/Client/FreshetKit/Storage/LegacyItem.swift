// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Which item of an older version of the app is meant.
public struct LegacyItem: Sendable, Hashable {
    /// The item's key: in a keychain, its account.
    public var key: String
    /// In a keychain, the item's service; `nil` leaves it to whoever reads.
    public var service: String?
    /// Whether it is one of those that travel between the user's devices.
    public var isSynchronizable: Bool

    /// Names an item.
    public init(_ key: String, service: String? = nil, isSynchronizable: Bool = false) {
        self.key = key
        self.service = service
        self.isSynchronizable = isSynchronizable
    }
}
