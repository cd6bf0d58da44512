// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Combines the network monitor's reports with the results of requests.
///
/// A pure rule. The monitor is a hint: a path may stay unsatisfied although requests get responses, as on Apple Watch
/// (TN3135) or behind some VPNs. A response overrides the monitor's report until the monitor reports a network again.
struct NetworkReachability: Equatable, Sendable {
    private var isReportedUp = true
    private var isProvenUp = false

    /// Whether to start background requests.
    var isUp: Bool { isReportedUp || isProvenUp }

    /// Records a report of the monitor.
    mutating func report(isUp: Bool) {
        // A repeated report is not new information, and overrides nothing.
        guard isUp != isReportedUp else { return }
        isReportedUp = isUp
        isProvenUp = false
    }

    /// Records the end of a request.
    ///
    /// - Parameter isAnswered: Whether it got a response, of any status.
    mutating func requestEnded(isAnswered: Bool) { isProvenUp = isAnswered && !isReportedUp }
}
