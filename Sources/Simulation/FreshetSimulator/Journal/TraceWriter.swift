// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetIdentity
    import ProtocolTrace

    /// Writes what a server commits as lines for `Models/trace.py`.
    final class TraceWriter: @unchecked Sendable {
        private let history: String
        private let write: (String) -> Void

        init(history: UInt64, write: @escaping (String) -> Void) {
            self.history = "\(history)"
            self.write = write
        }

        /// Receives the observations of a server.
        var observer: SessionObserver { { [self] observation in lines(for: observation).forEach(add) } }

        /// The database lost its last commits.
        func rollBack() { add(.rolledBack()) }

        /// A standby without the last commits took the place of the database.
        func promote() { add(.rolledBack(losesDurable: true)) }

        private func add(_ line: TraceLine) {
            do { write(try line.text(history: history)) } catch { fatalError("a trace cannot be written: \(error)") }
        }

        private func lines(for observation: SessionObservation) -> [TraceLine] {
            switch observation {
            case .opened(let row): [.opened(row)]
            case .ended(let ids, let reason, let time): ids.map { .ended($0, reason, at: time) }
            case .decided(let decided):
                [
                    .decided(
                        TraceLine.Decision(
                            decided.operation.traceName,
                            decided.token,
                            decided.intent,
                            before: decided.before,
                            decided.decision,
                            idleLifetime: decided.idleLifetime,
                            clock: decided.clock,
                            currentKey: decided.currentKeyID
                        )
                    )
                ]
            }
        }
    }

    extension TokenRequest.Operation {
        fileprivate var traceName: String {
            switch self {
            case .refresh: "refresh"
            case .confirm: "confirm"
            case .report: "report"
            case .logout: "logout"
            }
        }
    }
#endif
