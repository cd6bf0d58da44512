// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The session that is signed in, as this process knows it.
struct CurrentSession: Equatable, Sendable {
    /// The newest that is known; ``isSaved`` says whether it is durable.
    var session: StoredSession
    var token: TimedAccessToken
    /// If not, the store still has the generation before, and only that one may be presented.
    var isSaved: Bool

    /// How a record that was read compares with what is held.
    enum Comparison: Equatable {
        /// The store holds no session.
        case gone(SignOutReason)
        /// The store holds the session of another sign-in.
        case other(StoredSession)
        /// Another process moved the session forward.
        case newer(StoredSession)
        case same(StoredSession)
        /// It does not have yet, or no longer has, what is held.
        case older(StoredSession)
    }

    func comparison(with record: SessionRecord?) -> Comparison {
        guard let stored = record?.session else { return .gone(record?.ended ?? .removed) }
        if stored.id != session.id { return .other(stored) }
        if stored.generation > session.generation { return .newer(stored) }
        return stored.generation == session.generation ? .same(stored) : .older(stored)
    }
}
