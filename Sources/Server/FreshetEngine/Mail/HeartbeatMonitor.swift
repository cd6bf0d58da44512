// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Detects servers that stopped, by a counter that each running server increments in the database.
///
/// It uses no clock: a server is considered stopped once its counter was unchanged in several consecutive checks.
package struct HeartbeatMonitor: Sendable {
    /// The number of checks with an unchanged counter after which a server is considered stopped.
    package static let missedBeatLimit = 4

    private struct Observation {
        var beat: Int64
        var unchanged = 0
    }

    private var observations: [[UInt8]: Observation] = [:]

    package init() {}

    /// Performs one check.
    ///
    /// - Parameter beats: The counters of all other servers.
    /// - Returns: The stopped servers.
    package mutating func observe(_ beats: [(server: [UInt8], beat: Int64)]) -> [[UInt8]] {
        var dead: [[UInt8]] = []
        var seen: [[UInt8]: Observation] = [:]
        for (server, beat) in beats {
            var observation = observations[server] ?? Observation(beat: beat)
            if observations[server] != nil, observation.beat == beat {
                observation.unchanged += 1
            } else {
                observation = Observation(beat: beat)
            }
            seen[server] = observation
            if observation.unchanged >= Self.missedBeatLimit { dead.append(server) }
        }
        observations = seen
        return dead
    }
}
