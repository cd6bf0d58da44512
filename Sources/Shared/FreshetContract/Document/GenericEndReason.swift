// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The reasons for an ended session that backends of any make can give, beside those of Freshet's own protocol.
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
