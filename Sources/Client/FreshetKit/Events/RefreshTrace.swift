// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A refresh in progress, as its events report it.
struct RefreshTrace {
    let cause: RefreshCause
    let startedAt: Duration
    let remainingLifetime: Duration
    var attempts = 0

    func report(callers: Int, at now: Duration) -> RefreshReport {
        RefreshReport(
            cause: cause,
            attempts: attempts,
            callers: callers,
            duration: now - startedAt,
            remainingLifetime: remainingLifetime
        )
    }
}
