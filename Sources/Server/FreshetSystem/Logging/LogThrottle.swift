// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Limits the rate at which an event is logged: the first time, then once per interval.
package struct LogThrottle: Sendable {
    private var times = 0
    private var loggedAt: Duration?
    private var cause = ""
    /// The interval for records of different causes.
    private static let causeInterval = Duration.seconds(1)

    package init() {}

    /// Counts an event.
    ///
    /// - Parameters:
    ///   - now: The time on a monotonic clock.
    ///   - interval: The interval between two records of one cause.
    ///   - cause: The event's cause: a new one is recorded after a second.
    /// - Returns: The number of events since the last record if a record is due; else `nil`.
    package mutating func count(now: Duration, interval: Duration, cause: String = "") -> Int? {
        times += 1
        let interval = cause == self.cause ? interval : min(interval, Self.causeInterval)
        if let loggedAt, now - loggedAt < interval { return nil }
        loggedAt = now
        self.cause = cause
        defer { times = 0 }
        return times
    }
}
