// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Attribute values for which the system has a constant.
package enum KeychainConstant: Sendable, Hashable, CaseIterable {
    case genericPassword
    case matchLimitOne, matchLimitAll
    /// Matches items whether or not they are synchronized between the user's devices.
    case synchronizableAny

    // The times at which an item can be read.
    case whenUnlocked, whenUnlockedThisDeviceOnly
    case afterFirstUnlock, afterFirstUnlockThisDeviceOnly
}
