// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// The retention periods of stored rows.
package struct RetentionConfiguration: Sendable {
    /// The retention of audit events.
    var events: AuditRetention
    /// The time for which an ended session is kept, so that its user can be told why it ended.
    var endedSessions: Duration
    /// The interval between two clean-ups.
    var cleaningInterval: Duration

    package init(events: AuditRetention, endedSessions: Duration, cleaningInterval: Duration) {
        self.events = events
        self.endedSessions = endedSessions
        self.cleaningInterval = cleaningInterval
    }
}
