// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The storage of an older version of the app: texts by key.
///
/// On Apple's systems, use ``LegacyKeychainItems``; any other storage of texts by key can conform.
public protocol LegacyTokenSource: Sendable {
    /// Reads the text of an item.
    ///
    /// - Returns: The text; `nil` only if it is certain that there is none.
    /// - Throws: ``SessionStoreError`` if it cannot be read now.
    func text(of item: LegacyItem) throws(SessionStoreError) -> String?

    /// Removes an item, if it exists. An item that was not read is removed only if it certainly belongs to the app.
    ///
    /// It is never called for items that are synchronized between the user's devices.
    func remove(_ item: LegacyItem) throws(SessionStoreError)
}
