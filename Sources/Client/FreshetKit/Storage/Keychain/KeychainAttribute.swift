// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The attributes of keychain items, and of questions about them, that Freshet uses.
package enum KeychainAttribute: Sendable, Hashable, CaseIterable {
    // What an item is known by.
    case itemClass, service, account, accessGroup, synchronizable
    // What else it has.
    case accessible, generic, label, valueData
    /// Names one item for as long as it exists, whatever its attributes become.
    case persistentReference
    // What a question asks for.
    case matchLimit, returnsData, returnsAttributes, returnsPersistentReference
    /// The keychain of an app's own on macOS, as everywhere else; without it, the user's keychain file.
    case usesDataProtectionKeychain
}
