// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The times at which a keychain item can be read and written.
///
/// Both exclude the item from backups and transfers to other devices: two devices that present the same rotating
/// refresh token would end the session.
@nonexhaustive
public enum KeychainAccessibility: Sendable, Equatable {
    /// After the first unlock since the device started, so that a background refresh can read the tokens.
    case afterFirstUnlockThisDeviceOnly
    /// Only while the device is unlocked.
    ///
    /// In the background the state is then often ``SessionState/unknown``.
    case whenUnlockedThisDeviceOnly

    var constant: KeychainConstant {
        switch self {
        case .afterFirstUnlockThisDeviceOnly: .afterFirstUnlockThisDeviceOnly
        case .whenUnlockedThisDeviceOnly: .whenUnlockedThisDeviceOnly
        }
    }
}
