// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// A secret store of Linux systems; the raw value is stable, for storage in a configuration.
    public enum SecretStoreKind: String, Sendable, Codable, CaseIterable {
        /// The desktop's Secret Service, which is persistent and locked with the desktop's password.
        case secretService = "secret-service"
        /// The kernel's keyring of the user, which is lost when the system is restarted.
        case kernelKeyring = "kernel-keyring"
    }
#endif
