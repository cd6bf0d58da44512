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
    /// The contract's source of the user's ID; `nil` if the app gave it, and in records of versions that kept no source.
    var userSource: String?
    var email: String?
    /// When the session itself ends, in seconds since 1970 by this device's wall clock, if that is known.
    var endsAt: Double?

    /// Whether a sign-in that brought `other` brought this session again.
    ///
    /// A refresh token has one session. Without one, as in backends that issue access tokens alone, the access token
    /// takes its place. The id says so only where the server issued it, since ours are random; a generation then is enough.
    func isSameSession(as other: StoredSession) -> Bool {
        if id == other.id { return true }
        if isOfAnotherUser(than: other) { return false }
        if refreshToken != nil || other.refreshToken != nil { return refreshToken == other.refreshToken }
        return accessToken == other.accessToken
    }

    /// Whether both users are known, and differ: IDs of two known sources cannot be compared.
    private func isOfAnotherUser(than other: StoredSession) -> Bool {
        guard let userID, let otherID = other.userID, userID != otherID else { return false }
        return userSource == nil || other.userSource == nil || userSource == other.userSource
    }

    /// This session under the id of the stored session that it is, one generation later if it has a new access token.
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

    /// The generation after this one; the largest number is its own successor, so that a damaged record cannot trap.
    var nextGeneration: UInt64 { generation == .max ? .max : generation + 1 }

    var mask: String { "StoredSession(\(id), generation \(generation), •••)" }
}
