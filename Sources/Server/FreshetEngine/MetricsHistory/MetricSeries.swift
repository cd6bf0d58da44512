// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A counter over time, such as the number of detected thefts.
package struct MetricSeries: Hashable, Sendable {
    package enum Name: String, CaseIterable, Sendable {
        /// Presented refresh tokens, by outcome.
        case refreshes
        /// By platform.
        case signIns = "sign_ins"
        /// By the method of the sign-in.
        case refusedSignIns = "refused_sign_ins"
        /// By reason; only stored endings.
        case signOuts = "sign_outs"
        /// Requests refused for the time being, by status.
        case turnedAway = "turned_away"
        /// By the upper bound of the histogram's bucket, as the next two.
        case refreshSeconds = "refresh_seconds"
        case loginSeconds = "login_seconds"
        case commitSeconds = "commit_seconds"
        /// Minutes in which a server ran: without any, counts are missing instead of zero.
        case uptimeMinutes = "minutes_up"
    }

    package var name: Name
    /// A value of a small closed set, regardless of the clients' input.
    package var label: String

    package init(_ name: Name, _ label: String = "") {
        self.name = name
        self.label = label
    }
}
