// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetDatabase
    import FreshetEngine
    import SeededRandom

    /// Decides which faults the transactions of a shared database meet, and counts them.
    package final class DatabaseFaults: @unchecked Sendable {
        package enum Kind: String, CaseIterable {
            /// Time passes between the reading of a session's row and its writing, so that others may change it.
            case pause = "batches of rotations with a pause between reading and writing"
            /// A rotation is decided again, as its session's row was changed after it was read.
            case outdated = "rotations whose session was changed by others"
            /// A serialisable transaction conflicts with another one.
            case conflict = "serialisable transactions that ran again"
            /// A batch of rotations waits for a transaction that waits for it, and is rolled back.
            case deadlock = "batches of rotations that a deadlock rolled back"
            /// A connection ends before its commit.
            case lostConnection = "connections lost before a commit"
            /// A connection ends after its commit, whose outcome its server does not know.
            case lostOutcome = "connections lost after a commit"
        }

        private var random: SeededRandomStream
        /// Whether connections are lost.
        var losesConnections = true
        /// The number of times that each has happened.
        private(set) var counts: [Kind: Int] = [:]

        private let trace: TraceWriter?
        private let exchanges: ExchangeLog

        init(seed: UInt64, _ trace: TraceWriter?, _ exchanges: ExchangeLog) {
            random = SeededRandomStream(seed: seed, device: 0, matter: 31)
            self.trace = trace
            self.exchanges = exchanges
        }

        /// Whether it happens to the next transaction.
        func occurs(_ kind: Kind) -> Bool {
            let isNow =
                switch kind {
                case .pause: random.number(in: 0...2) == 0
                case .outdated: false
                case .conflict, .deadlock: random.number(in: 0...19) == 0
                case .lostConnection, .lostOutcome: losesConnections && random.number(in: 0...199) == 0
                }
            if isNow { count(kind) }
            return isNow
        }

        /// The length of the next pause.
        var pause: Duration { .milliseconds(random.number(in: 1...2000)) }

        func count(_ kind: Kind) { counts[kind, default: 0] += 1 }

        /// Records the ends of sessions that a transaction has committed: its server does not know the outcome, and announces
        /// none.
        ///
        /// - Throws: `SQLError`.
        func loseOutcome(on connection: SQLiteConnection) throws {
            trace?.lostTransaction()
            for ending in try SessionTable.ended(since: Timestamp(milliseconds: 0), in: connection) {
                exchanges.addUnannounced(ending.reason, of: ending.id)
            }
        }
    }
#endif
