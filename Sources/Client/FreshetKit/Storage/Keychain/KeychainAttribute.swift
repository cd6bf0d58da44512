// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The attributes of keychain items, and of questions about them, that Freshet uses.
package enum KeychainAttribute: Sendable, Hashable, CaseIterable {
    // The attributes that identify an item.
    case itemClass, service, account, accessGroup, synchronizable
    // The other attributes of an item.
    case accessible, generic, label, valueData
    /// Names one item for as long as it exists, whatever its attributes become.
    case persistentReference
    // The options of a query.
    case matchLimit, returnsData, returnsAttributes, returnsPersistentReference
    /// The keychain of an app's own on macOS, as everywhere else; without it, the user's keychain file.
    case usesDataProtectionKeychain
}
