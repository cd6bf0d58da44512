// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The credentials that every fake backend treats alike.
enum BackendCredentials {
    /// The password that is always refused.
    static let wrongPassword = "wrong"
    /// The code that every e-mail contains.
    static let emailCode = "123456"
}
