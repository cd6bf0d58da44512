// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Where an older version of the app kept its tokens: texts by keys.
///
/// On Apple's systems these are keychain items; anything with keys and texts will do.
public protocol LegacyItems: Sendable {
    /// Reads the text of an item.
    ///
    /// - Parameters:
    ///   - key: The item's key.
    ///   - isSynchronizable: Whether it is one of those that travel between the user's devices.
    /// - Returns: The text; `nil` only if it is certain that there is none.
    /// - Throws: ``StoreUnavailable`` if that cannot be told now.
    func text(for key: String, isSynchronizable: Bool) throws(StoreUnavailable) -> String?

    /// Removes an item that stays on this device, if there is one.
    func remove(_ key: String) throws(StoreUnavailable)
}
