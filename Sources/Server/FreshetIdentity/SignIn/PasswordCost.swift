// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What a password costs to check.
package struct PasswordCost: Equatable, Sendable {
    /// scrypt's N is two to this power: 15 took 190 ms and 32 MiB where it was measured.
    package var logN = 15
    /// Hashes at work at one time.
    package var workers = 1
    /// Hashes waiting for a worker; more are refused with 429, because each holds memory and a promise.
    package var queue = 32

    package init() {}
}
