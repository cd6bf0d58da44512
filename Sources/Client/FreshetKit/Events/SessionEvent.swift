// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

/// An event of a session, without tokens.
public struct SessionEvent: Sendable, Equatable {
    /// The time of the event, by this device's wall clock.
    public var date: Date
    /// The process that reports the event; several processes may share a session.
    public var processID: Int32
    /// The server's ID of the session.
    public var sessionID: String?
    /// The number of refreshes that led to the session's refresh token at that time.
    public var generation: UInt64?
    /// The kind of event.
    public var kind: Kind

    /// The kinds of events.
    @nonexhaustive
    public enum Kind: Sendable, Equatable {
        /// A user signed in, or a stored session was found.
        case signedIn(SignInSource)
        /// The session's state changed; `signedOut` has the reason.
        case stateChanged(SessionState)
        /// A refresh started.
        case refreshStarted(RefreshCause)
        /// A refresh attempt completed, with or without a response.
        case refreshAttempted(RefreshAttempt)
        /// The next attempt starts after this delay, or earlier if the network returns or the user acts.
        case retrying(after: Duration)
        /// A refresh returned new tokens.
        case refreshed(RefreshReport)
        /// Another process had refreshed; this session now uses its tokens.
        case adopted
        /// A refresh failed; the next one follows on demand.
        case refreshFailed(SessionError)
        /// A caller waits for a refresh that was already in progress.
        case joined
        /// The user of an existing session became known: ``SessionStatus/userID`` has the ID now.
        case userIdentified
        /// A request was replayed with a newer token.
        case replayed
        /// The newest tokens could not be stored; they are in memory, and the session retries the write.
        case unsaved
        /// Tokens or a sign-out that could not be stored before are stored now.
        case saved
        /// A sign-out was delivered to the server, or could not be delivered yet.
        case logoutDelivered(Bool)
        /// The network was lost or is back.
        case networkChanged(isUp: Bool)
        /// The app entered or left the foreground.
        case phaseChanged(SessionPhase)
        /// A background refresh was scheduled, or could not be scheduled.
        case backgroundRefreshScheduled(Bool)
        /// An access token is in use, with this lifetime.
        case accessTokenReceived(AccessTokenReport)
        /// The status of the response to a replayed request.
        case replayAnswered(status: Int)
        /// An item of an older version was found, without this token at the place that the location names.
        case importIncomplete(LegacyTokenPart)
    }

    /// A token that an item of an older version lacks.
    public enum LegacyTokenPart: String, Sendable, CaseIterable {
        /// The access token: nothing was imported.
        case accessToken
        /// The refresh token: the access token was imported, and the items are kept.
        case refreshToken
    }

    /// The origin of a session.
    public enum SignInSource: String, Sendable {
        /// A sign-in of this process.
        case signIn
        /// Items of an older version of the app.
        case imported
        /// The store, from which the session was restored, or in which another process had saved it.
        case found
    }
}
