// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How much an event of a session or an outbox matters to a person who reads a log.
public enum SessionLogLevel: Int, Sendable, Comparable, CaseIterable {
    /// Of use when a fault is looked for.
    case debug
    /// What happens every day: sign-ins, refreshes, how long a token is valid, writes that are delivered.
    case info
    /// Unusual, and mended by itself: an attempt that failed and the pause after it, a request that was sent again.
    case notice
    /// The user may notice it: a refresh that failed, tokens that could not be stored, writes that are held back.
    case warning
    /// The session ended without the user's wish, or a write became a dead letter.
    case error

    /// Whether one level matters less than another.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension SessionEvent.Kind {
    /// How much it matters to a person who reads a log.
    public var logLevel: SessionLogLevel {
        switch self {
        case .signedIn, .accessTokenReceived, .refreshStarted, .refreshed, .adopted, .saved, .logoutDelivered(true),
            .userIdentified, .phaseChanged, .stateChanged(.signedOut(nil)), .stateChanged(.signedOut(.requested?)):
            .info
        case .joined, .networkChanged: .debug
        case .stateChanged(.signedOut): .error
        case .stateChanged: .debug
        case .refreshAttempted(let attempt):
            switch attempt.outcome {
            case .granted: .debug
            case .ended: .error
            case .superseded, .throttled, .unreachable, .stepUp, .contractFault: .notice
            }
        case .retrying, .replayed, .replayAnswered: .notice
        case .refreshFailed, .unsaved, .logoutDelivered(false): .warning
        }
    }
}
