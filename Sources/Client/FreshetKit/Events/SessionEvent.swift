// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// Something that happened to a session, without a token or a part of one in it.
public struct SessionEvent: Sendable, Equatable {
    /// When it happened, by this device's wall clock.
    public var date: Date
    /// The process that tells of it; several may share a session.
    public var processID: Int32
    /// The server's name for the session that it happened to.
    public var sessionID: String?
    /// How many refreshes led to the session's refresh token then.
    public var generation: UInt64?
    /// What happened.
    public var kind: Kind

    /// What happened.
    @nonexhaustive
    public enum Kind: Sendable, Equatable {
        /// A user signed in, or was found signed in.
        case signedIn(SignInSource)
        /// The session's state changed; `signedOut` says why.
        case stateChanged(SessionState)
        /// A refresh began.
        case refreshStarted(RefreshCause)
        /// One attempt to refresh brought an answer, or none.
        case refreshAttempted(RefreshAttempt)
        /// The next attempt of the refresh follows after this pause, unless the network or the user shortens it.
        case retrying(after: Duration)
        /// New tokens are there.
        case refreshed(RefreshReport)
        /// Another process had refreshed, and its tokens were taken over.
        case adopted
        /// A refresh ended without new tokens; another will follow when one is wanted.
        case refreshFailed(SessionError)
        /// A caller waits for a refresh that was under way already.
        case joined
        /// The user of a session that was already there became known: ``SessionStatus/userID`` has the ID now.
        case userIdentified
        /// A request was sent again with a newer token.
        case replayed
        /// The newest tokens could not be stored; they are in memory, and storing them is being retried.
        case unsaved
        /// What could not be stored before is stored now.
        case saved
        /// The server was told of a sign-out, or could not be told yet.
        case logoutDelivered(Bool)
        /// The network went away or came back.
        case networkChanged(isUp: Bool)
        /// The app came to the foreground, or left it.
        case phaseChanged(SessionPhase)
        /// An access token is in use; how long it is valid, and how the session knows.
        case accessTokenReceived(AccessTokenReport)
        /// The status that answered a request which was sent again with a newer token.
        case replayAnswered(status: Int)
    }

    /// How a session came to be there.
    public enum SignInSource: String, Sendable {
        /// By a sign-in of this process.
        case signIn
        /// From items of an older version of the app.
        case imported
        /// It rested in the store, or another process signed in.
        case found
    }
}
