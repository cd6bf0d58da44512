// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Limits the rate at which an event is logged: the first time, then once per interval.
package struct LogThrottle: Sendable {
    private var times = 0
    private var loggedAt: Duration?

    package init() {}

    /// Counts an event.
    ///
    /// - Returns: The number of events since the last record if a record is due; else `nil`.
    package mutating func count(now: Duration, interval: Duration) -> Int? {
        times += 1
        if let loggedAt, now - loggedAt < interval { return nil }
        loggedAt = now
        defer { times = 0 }
        return times
    }
}
