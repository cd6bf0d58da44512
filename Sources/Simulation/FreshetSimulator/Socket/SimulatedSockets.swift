// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import SeededRandom

    /// The state that all WebSockets of one history share, and the invariants that they must hold.
    final class SimulatedSockets: @unchecked Sendable {
        /// An open WebSocket.
        private struct Connection {
            var process: String
            var session: String?
            var clock: DeviceClock
        }

        let journal: Journal
        private let ledger: TokenLedger
        private var random: SeededRandomStream
        /// Whether connections are lost, and messages take long; the end of a history has no faults.
        var hasFaults = true
        /// The number of WebSockets that were opened.
        private(set) var opened = 0
        /// The number of handshakes that a server has refused.
        var refused = 0
        /// The number of connections that were lost, or fell silent.
        private(set) var losses = 0
        private var open: [Int: Connection] = [:]

        init(seed: UInt64, _ journal: Journal, _ ledger: TokenLedger) {
            random = SeededRandomStream(seed: seed, device: 1, matter: 70)
            self.journal = journal
            self.ledger = ledger
        }

        // MARK: - The network

        /// Returns the delay of bytes, which arrive after those before them.
        func delay(after last: inout Duration) -> Duration {
            let isSlow = hasFaults && random.number(in: 0...19) == 0
            let now = SimulationExecutor.shared.now
            // Steps of the same time have no order.
            last = max(last + .microseconds(1), now + .milliseconds(random.number(in: 1...(isSlow ? 5000 : 60))))
            return last - now
        }

        func randomBytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(random.number(in: 0...255)) } }

        /// Ends one connection in three some time after its handshake: it is reset, or passes nothing on any more.
        func drawLoss(of socket: ClientSocket) {
            guard hasFaults, random.number(in: 0...2) == 0 else { return }
            let isSilent = random.number(in: 0...1) == 0
            SimulationExecutor.shared.schedule(after: .milliseconds(random.number(in: 0...600_000))) {
                [weak socket, self] in
                guard hasFaults, let socket else { return }
                losses += 1
                journal.note("\(socket.name) \(isSilent ? "falls silent" : "is reset")")
                if isSilent { socket.fallSilent() } else { socket.reset() }
            }
        }

        // MARK: - Invariants

        /// Records a WebSocket that was opened with an access token.
        ///
        /// - Returns: Its number.
        func opens(_ process: String, with token: String?, _ clock: DeviceClock) -> Int {
            opened += 1
            let session = token.flatMap(ledger.session(ofToken:))
            if let (_, other) = open.first(where: { $0.value.process == process }), session == other.session {
                journal.violation("\(process) has two sockets of session \(session ?? "-")")
            }
            open[opened] = Connection(process: process, session: session, clock: clock)
            return opened
        }

        /// Checks a message of a server: the session of its WebSocket has not ended for long.
        func receive(_ number: Int) {
            guard let connection = open[number], let session = connection.session else { return }
            guard let end = ledger.end(of: session), let known = ledger.everyServerKnows(end.at) else { return }
            // Bytes are under way for some seconds.
            guard known + .seconds(12) < SimulationExecutor.shared.now else { return }
            // A device that wakes up receives messages from before the end.
            guard !connection.clock.wasAsleep(inLast: .seconds(12)) else { return }
            journal.violation("a socket of session \(session) is open after \(end.cause)")
        }

        func closes(_ number: Int) { open[number] = nil }
    }
#endif
