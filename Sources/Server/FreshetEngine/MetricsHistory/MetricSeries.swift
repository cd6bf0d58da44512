// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A counter over time, such as the number of detected thefts.
package struct MetricSeries: Hashable, Sendable {
    package enum Name: String, CaseIterable, Sendable {
        /// The number of presented refresh tokens, by outcome.
        case refreshes
        /// The number of sign-ins, by platform.
        case signIns = "sign_ins"
        /// The number of refused sign-ins, by method.
        case refusedSignIns = "refused_sign_ins"
        /// The number of stored session ends, by reason.
        case signOuts = "sign_outs"
        /// The number of requests that were refused temporarily, by status.
        case turnedAway = "turned_away"
        /// The durations of refreshes, by the upper bound of the histogram's bucket, like the next two series.
        case refreshSeconds = "refresh_seconds"
        case loginSeconds = "login_seconds"
        case commitSeconds = "commit_seconds"
        /// The minutes in which a server ran.
        ///
        /// In an interval without any, the counts are unknown instead of zero.
        case uptimeMinutes = "minutes_up"
    }

    package var name: Name
    /// The label: a value of a small closed set, regardless of the clients' input.
    package var label: String

    package init(_ name: Name, _ label: String = "") {
        self.name = name
        self.label = label
    }
}
