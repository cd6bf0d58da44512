// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Values that the system has a constant for.
package enum KeychainConstant: Sendable, Hashable, CaseIterable {
    case genericPassword
    case matchLimitOne, matchLimitAll
    /// Items that travel between the user's devices, and those that do not.
    case synchronizableAny

    // When an item can be read.
    case whenUnlocked, whenUnlockedThisDeviceOnly
    case afterFirstUnlock, afterFirstUnlockThisDeviceOnly
}
