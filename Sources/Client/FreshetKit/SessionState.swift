// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The state of a session, for a user interface.
public enum SessionState: Sendable, Equatable {
    /// The store cannot be read now, so it is unknown whether a user is signed in. Do not show a login screen.
    case unknown
    /// The stored session cannot be used: it is damaged, or belongs to another server.
    ///
    /// Waiting does not help: ask for a sign-in, which replaces it.
    case recordUnusable(SessionStoreError)
    /// The user is not signed in; the reason is `nil` if no user ever signed in.
    case signedOut(SignOutReason?)
    /// Signed in.
    case active
    /// Signed in, and a refresh is in progress.
    case refreshing
    /// Signed in; the last refresh did not reach the server and will be retried.
    case offline
    /// A sign-out is in progress.
    case ending

    /// A state without its reason, for counting.
    public enum Name: String, Sendable, CaseIterable {
        /// The states of the same name.
        case unknown, recordUnusable, signedOut, active, refreshing, offline, ending
    }

    /// The state without its reason.
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

    /// Whether the user is signed in, regardless of the network.
    public var isSignedIn: Bool {
        switch self {
        case .active, .refreshing, .offline: true
        case .unknown, .recordUnusable, .signedOut, .ending: false
        }
    }
}
