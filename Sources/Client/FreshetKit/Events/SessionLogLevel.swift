// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The severity of an event of a session or an outbox.
public enum SessionLogLevel: Int, Sendable, Comparable, CaseIterable {
    /// Details for debugging.
    case debug
    /// Normal operation: sign-ins, refreshes, a token's lifetime, writes that are delivered.
    case info
    /// Unusual, and handled automatically: a failed attempt and the pause after it, a replayed request.
    case notice
    /// Possibly visible to the user: a failed refresh, tokens not stored or imported, held writes.
    case warning
    /// The session ended without a call to ``AuthSession/signOut()``, or a write became a dead letter.
    case error

    /// Whether one level is less severe than another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension SessionEvent.Kind {
    /// The event's severity.
    public var logLevel: SessionLogLevel {
        switch self {
        case .signedIn, .accessTokenReceived, .refreshStarted, .refreshed, .adopted, .saved, .logoutDelivered(true),
            .userIdentified, .phaseChanged, .stateChanged(.signedOut(nil)), .stateChanged(.signedOut(.requested?)):
            .info
        case .joined, .networkChanged, .backgroundRefreshScheduled(true): .debug
        case .stateChanged(.signedOut): .error
        case .stateChanged: .debug
        case .refreshAttempted(let attempt):
            switch attempt.outcome {
            case .granted: .debug
            case .ended: .error
            case .superseded, .throttled, .unreachable, .stepUp, .misconfigured, .invalidResponse: .notice
            }
        case .retrying, .replayed, .replayAnswered, .backgroundRefreshScheduled(false): .notice
        case .refreshFailed, .unsaved, .logoutDelivered(false), .importIncomplete: .warning
        }
    }
}
