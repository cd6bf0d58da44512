// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit

    /// The WebSocket of a process, which the app opens whenever a user is signed in.
    final class ProcessSocket: @unchecked Sendable {
        private let session: AuthSession
        private let socket: SessionSocket
        private let transport: SimulatedWebSocketTransport
        private var tasks: [Task<Void, Never>] = []
        private var reader: Task<Void, Never>?
        private let name: String
        /// Whether the process could not go on at some moment of the last time.
        private let wasDelayed: (Duration) -> Bool
        private let journal: Journal
        private var isKilled = false
        private var signOuts = 0

        /// Creates a socket that opens at the next sign-in, or at once if a user is signed in.
        ///
        /// - Throws: `SessionError` if the contract has none.
        init(
            _ session: AuthSession,
            _ transport: SimulatedWebSocketTransport,
            of name: String,
            _ journal: Journal,
            wasDelayed: @escaping (Duration) -> Bool
        ) throws {
            self.wasDelayed = wasDelayed
            self.session = session
            self.name = name
            self.journal = journal
            self.transport = transport
            var configuration = SocketConfiguration()
            configuration.pingInterval = .seconds(90)
            socket = try session.socket(configuration: configuration, transport: transport)
            let (states, socketStates) = (session.states, socket.states)
            tasks = [
                Task { [weak self] in for await state in states { self?.follow(state) } },
                Task { [weak self] in for await _ in socketStates { self?.openIfNeeded() } },
            ]
        }

        var state: SocketState { socket.state }
        /// Whether it is open on a connection that passes nothing on.
        var isSilent: Bool { transport.hasSilentSocket }

        private func follow(_ state: SessionState) {
            if case .signedOut = state {
                signOuts += 1
                scheduleCheck(signOuts)
            }
            openIfNeeded()
        }

        private func scheduleCheck(_ number: Int) {
            // A close frame may be under way for some seconds.
            let time = Duration.seconds(15)
            SimulationExecutor.shared.schedule(after: time) { [weak self] in
                // A later sign-out has its own time.
                guard let self, signOuts == number else { return }
                if wasDelayed(time) { scheduleCheck(number) } else { checkClosed() }
            }
        }

        /// The socket of a user who has signed out is closed, whatever the server knows.
        private func checkClosed() {
            guard !isKilled, case .signedOut = session.state else { return }
            switch socket.state {
            case .idle, .closed: break
            case let state: journal.violation("\(name) is signed out, and its socket is \(state)")
            }
        }

        private func openIfNeeded() {
            // A reader would keep the socket of a killed process.
            guard !isKilled, session.state.isSignedIn else { return }
            switch socket.state {
            case .idle, .closed: break
            case .waitingForToken, .connecting, .open, .waiting: return
            }
            reader?.cancel()
            reader = Task { [socket] in for await _ in socket.messages {} }
        }

        /// The process ends.
        func kill() {
            isKilled = true
            transport.close()
            for task in tasks { task.cancel() }
            reader?.cancel()
        }
    }
#endif
