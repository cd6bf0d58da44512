// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// The retention periods of stored rows, and the interval of the clean-up.
package struct RetentionConfiguration: Sendable {
    /// The retention of audit events.
    package var audit = AuditRetention()
    /// The time for which an ended session is kept, so that its user can be told why it ended; at least until its access
    /// tokens have expired.
    package var endedSessions = Duration.seconds(90 * 86_400)
    /// The interval between two clean-ups.
    var cleaningInterval = Duration.seconds(300)

    package init() {}
}
