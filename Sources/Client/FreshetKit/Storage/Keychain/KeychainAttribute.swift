// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The attributes of keychain items and queries that Freshet uses.
package enum KeychainAttribute: Sendable, Hashable, CaseIterable {
    // The attributes that identify an item.
    case itemClass, service, account, accessGroup, synchronizable
    // The other attributes of an item.
    case accessible, generic, label, valueData
    /// Identifies an item for its whole life, regardless of changes to its attributes.
    case persistentReference
    // The options of a query.
    case matchLimit, returnsData, returnsAttributes, returnsPersistentReference
    /// On macOS, selects the app's data-protection keychain, as on other systems, instead of the user's keychain file.
    case usesDataProtectionKeychain
}
