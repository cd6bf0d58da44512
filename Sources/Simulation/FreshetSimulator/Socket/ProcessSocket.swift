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
        private let journal: Journal
        private var isKilled = false
        private var signOuts = 0

        /// Creates a socket that opens at the next sign-in, or at once if a user is signed in.
        ///
        /// - Throws: `SessionError` if the contract has none.
        init(_ session: AuthSession, _ transport: SimulatedWebSocketTransport, of name: String, _ journal: Journal)
            throws
        {
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
                // A close frame may be under way for some seconds.
                SimulationExecutor.shared.schedule(after: .seconds(15)) { [weak self, signOuts] in
                    // A later sign-out has its own time.
                    guard let self, self.signOuts == signOuts else { return }
                    checkClosed()
                }
            }
            openIfNeeded()
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
