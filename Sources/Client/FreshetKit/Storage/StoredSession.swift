// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

/// A session in its stored form: all data that a later launch needs.
struct StoredSession: Codable, Equatable, Sendable, Masked {
    /// The server's ID of the session.
    var id: String
    /// The number of refreshes that led to ``refreshToken``.
    ///
    /// It never decreases within a session.
    var generation: UInt64
    /// The refresh token; `nil` for a session that cannot be refreshed, or whose access token is exchanged for a new
    /// one.
    var refreshToken: String?
    /// The intent of the next refresh, chosen for this generation and stored before it is first sent.
    var intent: String?
    var accessToken: String
    /// The time at which the access token was requested, in seconds since 1970 by this device's wall clock.
    var askedAt: Double
    /// The same time in seconds since the system was started, and the ID of that start.
    var askedSinceBoot: Double?
    var boot: String?
    /// The access token's lifetime from ``askedAt``, in seconds.
    var lifetime: Double
    var userID: String?
    /// The contract's source of the user's ID; `nil` if the app provided it, and in records of versions without a
    /// source.
    var userSource: String?
    var email: String?
    /// The expiry of the session itself, in seconds since 1970 by this device's wall clock, if known.
    var endsAt: Double?
    /// The time at which the last sign-in that returned this session was requested; `nil` in records of versions without
    /// it.
    var signedIn: StoredTime?

    /// Whether a sign-in that returned `other` returned this session again.
    ///
    /// Equal IDs suffice. Different IDs prove nothing: if the server issues none, each sign-in makes a random one. Then
    /// the refresh tokens are compared, because each belongs to one session, or the access tokens if neither session
    /// has a refresh token.
    func isSameSession(as other: StoredSession) -> Bool {
        if id == other.id { return true }
        if isOfAnotherUser(than: other) { return false }
        if refreshToken != nil || other.refreshToken != nil { return refreshToken == other.refreshToken }
        return accessToken == other.accessToken
    }

    /// Whether both users are known and differ: only IDs of the same source can be compared.
    private func isOfAnotherUser(than other: StoredSession) -> Bool {
        guard let userID, let otherID = other.userID, !userID.hasSameBytes(as: otherID) else { return false }
        return userSource == nil || other.userSource == nil || userSource == other.userSource
    }

    /// Returns this session with the ID of the stored session that it continues, one generation later if it has a new
    /// access token.
    func continuing(_ stored: StoredSession) -> StoredSession {
        guard stored.id != id else { return self }
        var session = self
        session.id = stored.id
        session.generation = accessToken == stored.accessToken ? stored.generation : stored.nextGeneration
        session.userID = stored.userID ?? userID
        session.userSource = stored.userID == nil ? userSource : stored.userSource
        session.email = email ?? stored.email
        return session
    }

    /// The next generation; the largest number is its own successor, so that a damaged record cannot cause a trap.
    var nextGeneration: UInt64 { generation == .max ? .max : generation + 1 }

    var mask: String { "StoredSession(\(id), generation \(generation), •••)" }
}
