// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// What a contract read from the answer to a sign-in or a refresh.
struct SessionGrant: Equatable, Sendable, Masked {
    var sessionID: String
    var generation: UInt64
    var accessToken: String
    var refreshToken: String
    /// How long the access token lives, counted from when it was asked for.
    var lifetime: Duration
    /// The server's clock at its answer, in seconds since 1970.
    var serverTime: Double?
    var userID: String?
    var email: String?

    var mask: String { "SessionGrant(\(sessionID), generation \(generation), •••)" }
}
