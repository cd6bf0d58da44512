// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Decides whether there is a network, from what the system's monitor reports and from what requests bring.
///
/// A pure rule. The monitor's word is advice: a path may stay unsatisfied for ever although requests are answered, as on
/// Apple Watch (TN3135) or behind some VPNs. An answer proves it wrong until it reports a network again.
struct NetworkReachability: Equatable, Sendable {
    private var isReportedUp = true
    private var isProvenUp = false

    /// Whether it makes sense to begin a request that no caller waits for.
    var isUp: Bool { isReportedUp || isProvenUp }

    /// The monitor reports.
    mutating func report(isUp: Bool) {
        // A repeated report is no news, and disproves nothing.
        guard isUp != isReportedUp else { return }
        isReportedUp = isUp
        isProvenUp = false
    }

    /// A request ended.
    ///
    /// - Parameter isAnswered: Whether it got an answer, of whatever kind.
    mutating func requestEnded(isAnswered: Bool) { isProvenUp = isAnswered && !isReportedUp }
}
