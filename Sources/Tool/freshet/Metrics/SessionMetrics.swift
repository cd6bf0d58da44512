// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit
import Metrics

/// Session metrics for swift-metrics.
enum SessionMetrics {
    /// Counts the events of a session from now on.
    static func follow(_ session: AuthSession) {
        session.observe { count($0.kind) }
    }

    private static func count(_ kind: SessionEvent.Kind) {
        switch kind {
        case .refreshed(let report):
            let cause = [("cause", report.cause.rawValue)]
            Counter(label: "freshet_refreshes_total", dimensions: cause).increment()
            Timer(label: "freshet_refresh_seconds", dimensions: cause).record(duration: report.duration)
        case .refreshAttempted(let attempt):
            Counter(label: "freshet_refresh_attempts_total", dimensions: [("outcome", label(attempt.outcome))])
                .increment()
        case .refreshFailed: Counter(label: "freshet_refresh_failures_total").increment()
        case .adopted: Counter(label: "freshet_refreshes_adopted_total").increment()
        case .joined: Counter(label: "freshet_callers_joined_total").increment()
        case .replayed: Counter(label: "freshet_requests_replayed_total").increment()
        case .unsaved: Counter(label: "freshet_unsaved_total").increment()
        case .signedIn(let arrival):
            Counter(label: "freshet_sign_ins_total", dimensions: [("by", arrival.rawValue)]).increment()
        case .stateChanged(.signedOut(let reason?)):
            Counter(label: "freshet_sign_outs_total", dimensions: [("reason", label(reason))]).increment()
        default: break
        }
    }

    private static func label(_ outcome: RefreshAttempt.Outcome) -> String {
        switch outcome {
        case .granted: "granted"
        case .superseded: "superseded"
        case .ended(let reason): label(reason)
        case .throttled: "throttled"
        case .unreachable: "unreachable"
        case .stepUp: "step_up"
        case .misconfigured: "misconfigured"
        case .invalidResponse: "invalid_response"
        }
    }

    /// Returns the label of a reason; unknown ones share a label, so that a server cannot add series.
    private static func label(_ reason: SignOutReason) -> String {
        if case .other = reason { "other" } else { reason.rawValue }
    }
}
