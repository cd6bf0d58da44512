// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Where a session stands, for a user interface to follow.
public enum SessionState: Sendable, Equatable {
    /// The store cannot be read now, so it is not known yet whether a user is signed in. Never show a login for it.
    case unknown
    /// What is stored cannot be used: it is damaged, or belongs to the session of another server.
    ///
    /// Waiting does not mend it: ask for a sign-in, which replaces it.
    case recordUnusable(SessionStoreError)
    /// Nobody is signed in; `nil` if nobody ever was.
    case signedOut(SignOutReason?)
    /// Signed in, and nothing is wrong.
    case active
    /// Signed in, and a refresh is under way.
    case refreshing
    /// Signed in; the last refresh did not reach the server, and another one will follow.
    case offline
    /// A sign-out is under way.
    case ending

    /// A state without its reason, for counting.
    public enum Name: String, Sendable, CaseIterable {
        /// As the states of the same name.
        case unknown, recordUnusable, signedOut, active, refreshing, offline, ending
    }

    /// Which state it is.
    public var name: Name {
        switch self {
        case .unknown: .unknown
        case .recordUnusable: .recordUnusable
        case .signedOut: .signedOut
        case .active: .active
        case .refreshing: .refreshing
        case .offline: .offline
        case .ending: .ending
        }
    }

    /// Whether a session is held, whatever the network does.
    public var isSignedIn: Bool {
        switch self {
        case .active, .refreshing, .offline: true
        case .unknown, .recordUnusable, .signedOut, .ending: false
        }
    }
}
