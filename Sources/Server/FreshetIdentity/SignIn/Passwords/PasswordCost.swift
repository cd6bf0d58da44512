// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The cost of verifying a password.
package struct PasswordCost: Equatable, Sendable {
    /// The binary logarithm of scrypt's N: 15 took 190 ms and 32 MiB when measured.
    package var logN = 15
    /// The number of concurrent hashes.
    var workers = 1
    /// The maximum number of queued hashes.
    ///
    /// Further hashes are refused with 429, because each queued hash occupies memory.
    var queue = 32

    package init() {}
}
