// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The counters of a session.
public struct SessionStatistics: Sendable, Equatable {
    /// The number of refreshes of this process that returned new tokens.
    public var refreshes = 0
    /// The number of these refreshes that started before the old token expired, without a waiting caller.
    public var early = 0
    /// The number of these refreshes that started after the old token had expired.
    public var late = 0
    /// The number of these refreshes that started because a resource refused the token.
    public var afterRefusal = 0
    /// The number of times tokens of another process were adopted.
    public var adoptions = 0
    /// The number of refreshes that failed.
    public var failures = 0
    /// The number of attempts of all refreshes.
    public var attempts = 0
    /// The number of attempts after the first one of each refresh.
    public var retries = 0
    /// The number of callers that joined a refresh in progress.
    public var joinedCallers = 0
    /// The number of requests that were replayed with a newer token.
    public var replays = 0
    /// The number of sign-ins, including imports.
    public var signIns = 0
    /// The number of times the session ended without a call to ``AuthSession/signOut()``.
    public var forcedSignOuts = 0
    /// The number of times new tokens could not be stored immediately.
    public var unsaved = 0
    /// The total duration of all successful refreshes.
    public var refreshTime = Duration.zero
    /// The duration of the slowest of them.
    public var slowestRefresh = Duration.zero
    /// The time spent in each state; states that never occurred are absent.
    public var timeInState: [SessionState.Name: Duration] = [:]

    /// Creates counters of zero.
    public init() {}

    /// The average duration of a refresh; `nil` without refreshes.
    public var averageRefresh: Duration? { refreshes > 0 ? refreshTime / refreshes : nil }
}

extension SessionStatistics {
    mutating func count(_ kind: SessionEvent.Kind) {
        switch kind {
        case .accessTokenReceived, .backgroundRefreshScheduled, .replayAnswered, .retrying: break
        case .refreshed(let report):
            refreshes += 1
            switch report.cause {
            case .ahead: early += 1
            case .rejected: afterRefusal += 1
            case .expired, .requested: if report.remainingLifetime <= .zero { late += 1 }
            }
            refreshTime += report.duration
            slowestRefresh = max(slowestRefresh, report.duration)
        case .refreshAttempted(let attempt):
            attempts += 1
            if attempt.number > 1 { retries += 1 }
        case .adopted: adoptions += 1
        case .refreshFailed: failures += 1
        case .joined: joinedCallers += 1
        case .replayed: replays += 1
        case .signedIn(let arrival): if arrival != .found { signIns += 1 }
        case .stateChanged(.signedOut(let reason?)): if reason != .requested { forcedSignOuts += 1 }
        case .unsaved: unsaved += 1
        case .stateChanged, .refreshStarted, .saved, .logoutDelivered, .userIdentified, .networkChanged, .phaseChanged,
            .importIncomplete:
            break
        }
    }

    /// Adds another's counters, without the times in states.
    mutating func add(_ other: SessionStatistics) {
        refreshes += other.refreshes
        early += other.early
        late += other.late
        afterRefusal += other.afterRefusal
        adoptions += other.adoptions
        failures += other.failures
        attempts += other.attempts
        retries += other.retries
        joinedCallers += other.joinedCallers
        replays += other.replays
        signIns += other.signIns
        forcedSignOuts += other.forcedSignOuts
        unsaved += other.unsaved
        refreshTime += other.refreshTime
        slowestRefresh = max(slowestRefresh, other.slowestRefresh)
    }
}
