// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A refresh under way as its events tell of it.
struct RefreshTrace {
    let cause: RefreshCause
    let startedAt: Duration
    let lifeLeft: Duration
    var attempts = 0
    var callers = 0

    func report(at now: Duration) -> RefreshReport {
        RefreshReport(
            cause: cause,
            attempts: attempts,
            callers: callers,
            duration: now - startedAt,
            lifeLeft: lifeLeft
        )
    }
}

extension TokenNeed {
    /// Why a refresh begins that serves it.
    var refreshCause: RefreshCause {
        switch self {
        case .good: .expired
        case .replacing: .rejected
        case .fresh: .requested
        }
    }
}
