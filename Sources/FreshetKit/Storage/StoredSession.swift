// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// A session as it rests: everything a later launch needs to go on.
struct StoredSession: Codable, Equatable, Sendable, Masked {
    /// The server's name for the session.
    var id: String
    /// How many refreshes led to ``refreshToken``.
    ///
    /// It only grows within a session.
    var generation: UInt64
    /// `nil` for a session that cannot be refreshed, or whose access token renews itself.
    var refreshToken: String?
    /// Chosen for this generation, and stored before it is first sent.
    var intent: String?
    var accessToken: String
    /// When the access token was asked for, in seconds since 1970 by this device's wall clock.
    var askedAt: Double
    /// The same in seconds since the system was started, and which start that was.
    var askedSinceBoot: Double?
    var boot: String?
    /// How long the access token lives from then, in seconds.
    var lifetime: Double
    var userID: String?
    var email: String?
    /// When the session itself ends, in seconds since 1970 by this device's wall clock, if that is known.
    var endsAt: Double?

    var mask: String { "StoredSession(\(id), generation \(generation), •••)" }
}
