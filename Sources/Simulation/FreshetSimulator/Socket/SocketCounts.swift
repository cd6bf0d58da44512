// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// How many WebSockets histories had.
    struct SocketCounts: Equatable, Sendable {
        private var opened = 0
        private var refused = 0
        private var losses = 0

        init() {}

        init(_ sockets: SimulatedSockets) {
            opened = sockets.opened
            refused = sockets.refused
            losses = sockets.losses
        }

        static func += (sum: inout SocketCounts, other: SocketCounts) {
            sum.opened += other.opened
            sum.refused += other.refused
            sum.losses += other.losses
        }

        var text: String { "sockets: \(opened) opened, \(refused) refused, \(losses) lost" }
    }
#endif
