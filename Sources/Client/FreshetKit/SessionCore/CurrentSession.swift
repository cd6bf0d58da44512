// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The session that is signed in, as this process knows it.
struct CurrentSession: Equatable, Sendable {
    /// The newest known session; ``isSaved`` says whether it is stored.
    var session: StoredSession
    var token: TimedAccessToken
    /// Whether the session is stored.
    ///
    /// If not, the store still has the previous generation, and only that one may be presented.
    var isSaved: Bool

    /// Replaces it by the tokens that another process has stored.
    ///
    /// An access token that was requested before them may have expired, as after a device's sleep.
    mutating func adopt(_ stored: StoredSession, at moment: ClockSnapshot) {
        let cause = token.cause
        self = CurrentSession(session: stored, token: TimedAccessToken(stored, at: moment), isSaved: true)
        token.cause = cause
    }

    /// The result of comparing a stored record with the session in memory.
    enum Comparison: Equatable {
        /// The store holds no session.
        case gone(SignOutReason)
        /// The store holds the session of another sign-in.
        case other(StoredSession)
        /// Another process refreshed the session.
        case newer(StoredSession)
        case same(StoredSession)
        /// The store does not have the generation in memory yet, or no longer has it.
        case older(StoredSession)
    }

    func comparison(with record: SessionRecord?) -> Comparison {
        guard let stored = record?.session else { return .gone(record?.ended ?? .removed) }
        if stored.id != session.id { return .other(stored) }
        if stored.generation > session.generation { return .newer(stored) }
        return stored.generation == session.generation ? .same(stored) : .older(stored)
    }
}
