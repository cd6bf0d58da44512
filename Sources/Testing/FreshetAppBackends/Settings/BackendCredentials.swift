// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The credentials that all fake backends treat in the same way.
enum BackendCredentials {
    /// The password that is always refused.
    static let wrongPassword = "wrong"
    /// The code that every e-mail contains.
    static let emailCode = "123456"
}
