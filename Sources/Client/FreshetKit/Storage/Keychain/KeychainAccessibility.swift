// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// When a keychain item can be read and written.
///
/// Neither choice lets an item into a backup or onto another device: two devices that present one rotating refresh token
/// make each other's copies void.
@nonexhaustive
public enum KeychainAccessibility: Sendable, Equatable {
    /// From the first unlock after the device started; a refresh in the background finds its tokens.
    case afterFirstUnlockThisDeviceOnly
    /// Only while the device is unlocked; in the background the session is often SessionState/unknown.
    case whenUnlockedThisDeviceOnly

    var constant: KeychainConstant {
        switch self {
        case .afterFirstUnlockThisDeviceOnly: .afterFirstUnlockThisDeviceOnly
        case .whenUnlockedThisDeviceOnly: .whenUnlockedThisDeviceOnly
        }
    }
}
