// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import SeededRandom

    /// The state that all connections of one history share; `nil` in histories whose requests enter at the router.
    final class SimulatedConnections: @unchecked Sendable {
        let journal: Journal
        var random: SeededRandomStream
        /// Whether clients reset and half close connections, and send pieces late; the end of a history has no faults.
        var hasFaults = true
        /// The number of connections so far.
        private(set) var count = 0
        /// The number of requests so far.
        var requests = 0
        /// The number of requests that shared a connection with an earlier one.
        var reuses = 0
        /// The number of requests that were sent before the response to an earlier one.
        var pipelined = 0
        /// The number of connection faults so far.
        var faults = 0
        /// The connections that the servers handle.
        private var handled: Set<Int> = []

        init(seed: UInt64, _ journal: Journal) {
            random = SeededRandomStream(seed: seed, device: 1, matter: 40)
            self.journal = journal
        }

        /// Returns the number of a new connection.
        func open() -> Int {
            count += 1
            handled.insert(count)
            return count
        }

        /// The server has released a connection.
        func end(_ number: Int) { handled.remove(number) }

        /// At the end of a history, no connection is left.
        func checkEnds() {
            for number in handled.sorted() { journal.violation("connection \(number) is never released") }
        }
    }
#endif
