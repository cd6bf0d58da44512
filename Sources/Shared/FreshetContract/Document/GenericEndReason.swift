// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reasons for the end of a session that any backend can give, in addition to the native ones.
package enum GenericEndReason: String, CaseIterable, Sendable {
    /// The session or its refresh token expired.
    case expired
    /// The backend revoked the session.
    case revoked
    /// A refresh token was presented again.
    case reused
    /// The account was disabled.
    case disabled
    /// The backend gives no reason.
    case unknown
}
