// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Counts events, and says when a line of the log is due: at the first one, then once an interval.
package struct LogThrottle: Sendable {
    private var times = 0
    private var loggedAt: Duration?

    package init() {}

    /// Counts one.
    ///
    /// - Returns: The number since the last line if a line is due; else `nil`.
    package mutating func count(now: Duration, interval: Duration) -> Int? {
        times += 1
        if let loggedAt, now - loggedAt < interval { return nil }
        loggedAt = now
        defer { times = 0 }
        return times
    }
}
