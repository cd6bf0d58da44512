// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// A sign-out that the server has yet to hear of.
///
/// The token is kept for that purpose alone.
struct PendingLogout: Codable, Equatable, Sendable, Masked {
    /// Which server it concerns; the token goes nowhere else.
    var origin: String
    var sessionID: String
    var refreshToken: String

    var mask: String { "PendingLogout(\(sessionID), •••)" }
}
