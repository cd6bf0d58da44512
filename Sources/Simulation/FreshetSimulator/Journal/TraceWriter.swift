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

        /// A device has stored a record.
        func stored(_ device: Device) {
            let current = device.session.flatMap { session in
                Self.pair(session.refreshToken, session.intent)
            }
            let pending = device.record.current?.stored?.pendingLogouts ?? []
            add(
                .stored(
                    current,
                    tombstones: pending.compactMap { Self.pair($0.refreshToken, nil)?.token.session },
                    by: device.name,
                    isReverted: device.record.isReverting,
                    at: .simulated
                )
            )
        }

        /// A client sends a refresh token.
        ///
        /// - Parameters:
        ///   - body: The token.
        ///   - path: The native path with the request's purpose.
        ///   - device: The client's device.
        ///   - holder: The owner of the token, or a thief.
        ///   - isNative: Whether the client has intents.
        func sent(_ body: TokenBody, _ path: String, by device: Device, as holder: Holder, isNative: Bool = true) {
            guard let kind = Self.kinds[path], let sent = Self.pair(body.refreshToken, body.intent) else { return }
            let isAvailable = device.record.isAvailable
            let traced: TraceLine.Holder? =
                holder == .thief ? .thief : !isNative ? .plain : isAvailable ? nil : .storeless
            add(.sent(kind, sent, by: device.name, as: traced, at: .simulated))
        }

        private static let kinds = [
            NativePath.refresh: "refresh", NativePath.confirm: "confirm", NativePath.report: "report",
            NativePath.logout: "logout",
        ]

        private static func pair(_ token: String?, _ intent: String?) -> TraceLine.Pair? {
            guard let token, let token = try? RefreshToken(token) else { return nil }
            return TraceLine.Pair(token, intent.flatMap(Intent.init))
        }

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
