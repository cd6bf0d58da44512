// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How a session fared, as numbers.
public struct SessionStatistics: Sendable, Equatable {
    /// Refreshes of this process that brought new tokens.
    public var refreshes = 0
    /// How many of them began while the old token was still good, with nobody waiting.
    public var early = 0
    /// How many of them began when the old token had ended.
    public var late = 0
    /// How many of them a resource's refusal caused.
    public var afterRefusal = 0
    /// Tokens that another process had brought.
    public var adoptions = 0
    /// Refreshes that ended without new tokens.
    public var failures = 0
    /// Attempts, of all refreshes.
    public var attempts = 0
    /// Attempts after the first of their refresh.
    public var retries = 0
    /// Callers that joined a refresh under way.
    public var joinedCallers = 0
    /// Requests that were sent again with a newer token.
    public var replays = 0
    /// Sign-ins, imports included.
    public var signIns = 0
    /// How often the session ended without the user's wish.
    public var forcedSignOuts = 0
    /// How often new tokens could not be stored at once.
    public var unsaved = 0
    /// How long all refreshes that brought tokens took.
    public var refreshTime = Duration.zero
    /// How long the slowest of them took.
    public var slowestRefresh = Duration.zero
    /// How long the session was in each state; states in which it never was are absent.
    public var timeInState: [SessionState.Name: Duration] = [:]

    /// Nothing happened yet.
    public init() {}

    /// How long a refresh took on average; `nil` if there was none.
    public var averageRefresh: Duration? { refreshes > 0 ? refreshTime / refreshes : nil }
}

extension SessionStatistics {
    mutating func count(_ kind: SessionEvent.Kind) {
        switch kind {
        case .accessTokenReceived, .replayAnswered, .retrying: break
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
        case .stateChanged, .refreshStarted, .saved, .logoutDelivered, .userIdentified, .networkChanged, .phaseChanged:
            break
        }
    }

    /// Both together, times in states left alone.
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
