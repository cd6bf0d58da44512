// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The key of an item of an older version of the app.
public struct LegacyItem: Sendable, Hashable {
    /// The item's key: in a keychain, its account.
    public var key: String
    /// The item's service in a keychain; `nil` to let the reader choose.
    public var service: String?
    /// Whether the item is synchronized between the user's devices.
    public var isSynchronizable: Bool

    /// Creates the key of an item.
    public init(_ key: String, service: String? = nil, isSynchronizable: Bool = false) {
        self.key = key
        self.service = service
        self.isSynchronizable = isSynchronizable
    }
}
