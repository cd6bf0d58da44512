// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// A place for secrets that Linux systems offer, by the name that a program may record.
    public enum SecretStoreKind: String, Sendable, Codable, CaseIterable {
        /// The desktop's Secret Service: lasts, and is locked with the desktop's password.
        case secretService = "secret-service"
        /// The kernel's keyring of the user: lasts until the system is restarted.
        case kernelKeyring = "kernel-keyring"
    }
#endif
