// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Where an older version of the app kept its tokens: texts by keys.
///
/// On Apple's systems these are ``LegacyKeychainItems``; anything with keys and texts will do.
public protocol LegacyTokenSource: Sendable {
    /// Reads the text of an item.
    ///
    /// - Returns: The text; `nil` only if it is certain that there is none.
    /// - Throws: ``SessionStoreError`` if that cannot be told now.
    func text(of item: LegacyItem) throws(SessionStoreError) -> String?

    /// Removes an item that was read, if it is there; one that was not read only if it is certain to be the app's own.
    ///
    /// It is never one of those that travel between the user's devices.
    func remove(_ item: LegacyItem) throws(SessionStoreError)
}
