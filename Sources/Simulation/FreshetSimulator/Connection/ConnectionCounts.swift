// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// The requests and connections of a history, and the faults of the connections.
    package struct ConnectionCounts: Sendable, Equatable {
        var connections = 0
        var requests = 0
        var reuses = 0
        var pipelined = 0
        var faults = 0

        init() {}

        init(_ connections: SimulatedConnections) {
            self.connections = connections.count
            requests = connections.requests
            reuses = connections.reuses
            pipelined = connections.pipelined
            faults = connections.faults
        }

        static func += (sum: inout ConnectionCounts, other: ConnectionCounts) {
            sum.connections += other.connections
            sum.requests += other.requests
            sum.reuses += other.reuses
            sum.pipelined += other.pipelined
            sum.faults += other.faults
        }

        var text: String {
            "connections: \(connections) with \(requests) requests, \(reuses) of which shared one, \(pipelined) pipelined, "
                + "and \(faults) faults"
        }
    }
#endif
