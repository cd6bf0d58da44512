// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An app whose backend ``AppBackend`` imitates.
package enum BackendApp: String, Sendable, CaseIterable {
    /// A minimal token pair; the refresh token is sent in the Authorization header.
    case authservice
    /// Snake case, Sign in with Apple, one refresh token that is valid for seven days.
    case bitbasel
    /// Camel case, codes by e-mail, sign-out of one or all sessions, a legacy backend.
    case melchat
    /// A stated lifetime, and optional rotation.
    case creatist
    /// An envelope around tokens, rotation at every refresh, and recorded writes.
    case outbox
}
