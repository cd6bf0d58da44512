// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetIdentity
    import FreshetWire
    import ProtocolTrace

    /// Writes what servers commit, and what clients store and send, as lines for `Models/trace.py`.
    final class TraceWriter: @unchecked Sendable {
        private let history: String
        private let write: (String) -> Void
        /// The forged tokens of a stranger; the trace has decisions on genuine ones.
        var forged: Set<String> = []

        init(history: String, write: @escaping (String) -> Void) {
            self.history = history
            self.write = write
        }

        /// Receives the observations of a server.
        var observer: SessionObserver { { [self] observation in lines(for: observation).forEach(add) } }

        /// The database lost its last commits.
        func rollBack() { add(.rolledBack()) }

        /// A standby without the last commits took the place of the database.
        func promote() { add(.rolledBack(losesDurable: true)) }

        /// A transaction that is no decision may be committed: its server does not know.
        func lostTransaction() { add(.unlisted()) }

        /// A device has stored a record.
        ///
        /// - Parameters:
        ///   - current: The tokens of its session; `nil` if it has none.
        ///   - pending: The refresh tokens of its pending sign-outs.
        ///   - device: The device.
        ///   - isReverted: Whether a power failure or a backup brought the record back.
        func stored(_ current: TraceLine.Pair?, pending: [String], by device: String, isReverted: Bool) {
            let tombstones = pending.compactMap { TraceLine.Pair($0)?.token.session }
            add(.stored(current, tombstones: tombstones, by: device, isReverted: isReverted, at: .simulated))
        }

        /// A client sends a refresh token to the path with this native equivalent.
        func sent(_ pair: TraceLine.Pair?, _ path: String, by device: String, as holder: TraceLine.Exemption?) {
            guard let pair, let kind = Self.kinds[path] else { return }
            add(.sent(kind, pair, by: device, as: holder, at: .simulated))
        }

        private static let kinds = [
            NativePath.refresh: "refresh", NativePath.confirm: "confirm", NativePath.report: "report",
            NativePath.logout: "logout",
        ]

        private func add(_ line: TraceLine) {
            do { write(try line.text(history: history)) } catch { fatalError("a trace cannot be written: \(error)") }
        }

        private func lines(for observation: SessionObservation) -> [TraceLine] {
            switch observation {
            case .opened(let row): [.opened(row)]
            case .ended(let ids, let reason, let time): ids.map { .ended($0, reason, at: time) }
            case .decided(let decision) where forged.contains(decision.token.text),
                .undetermined(let decision, _) where forged.contains(decision.token.text):
                []
            case .decided(let decision): [.decided(TraceLine.Decision(decision))]
            case .undetermined(let decision, let hasFlushFailed):
                [.decided(TraceLine.Decision(decision), isUndetermined: true, hasFlushFailed: hasFlushFailed)]
            }
        }
    }

    extension TraceLine.Decision {
        fileprivate init(_ observed: SessionObservation.Decision) {
            self.init(
                observed.operation.traceName,
                observed.token,
                observed.intent,
                before: observed.before,
                observed.decision,
                idleLifetime: observed.idleLifetime,
                clock: observed.clock,
                currentKey: observed.currentKeyID
            )
        }
    }

    extension TraceLine.Pair {
        /// Parses a token and an intent; `nil` without a token of these servers.
        init?(_ token: String?, _ intent: String? = nil) {
            guard let token, let token = try? RefreshToken(token) else { return nil }
            self.init(token, intent.flatMap(Intent.init))
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
