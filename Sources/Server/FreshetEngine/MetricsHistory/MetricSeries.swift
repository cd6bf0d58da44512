// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// One thing that is counted over time, such as the refreshes that found a theft.
package struct MetricSeries: Hashable, Sendable {
    package enum Name: String, CaseIterable, Sendable {
        /// Refresh tokens that were presented, by what came of them.
        case refreshes
        /// By platform.
        case signIns = "sign_ins"
        /// By the way in.
        case refusedSignIns = "refused_sign_ins"
        /// By reason; only those that were written.
        case signOuts = "sign_outs"
        /// Requests that had to come back later, by status.
        case turnedAway = "turned_away"
        /// By the upper end of the histogram's bucket, as the two that follow.
        case refreshSeconds = "refresh_seconds"
        case loginSeconds = "login_seconds"
        case commitSeconds = "commit_seconds"
        /// Minutes that a server ran in: without any there are no figures, and not figures that are nothing.
        case uptimeMinutes = "minutes_up"
    }

    package var name: Name
    /// A word of a small closed set, whatever clients say.
    package var label: String

    package init(_ name: Name, _ label: String = "") {
        self.name = name
        self.label = label
    }
}
