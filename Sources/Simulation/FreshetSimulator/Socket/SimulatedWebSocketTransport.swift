// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit

    /// The WebSockets of one process, over the simulated network.
    final class SimulatedWebSocketTransport: WebSocketTransport, @unchecked Sendable {
        private let network: SimulatedNetwork
        private let sockets: SimulatedSockets
        private let name: String
        private let clock: DeviceClock
        private var isClosed = false
        private var open: [Int: ClientSocket] = [:]
        private var count = 0
        private var rate = RequestRate()

        init(_ network: SimulatedNetwork, _ sockets: SimulatedSockets, of name: String, _ clock: DeviceClock) {
            self.clock = clock
            self.network = network
            self.sockets = sockets
            self.name = name
        }

        func connect(
            _ request: URLRequest,
            protocols: [String],
            limits: WebSocketLimits
        ) async throws -> any WebSocketConnection {
            guard !isClosed else { throw WebSocketError.lost }
            let fate = network.fate(of: request)
            network.ledger.record(request, of: name)
            if let count = rate.count(at: SimulationExecutor.shared.now) {
                network.journal.violation("\(name) opens \(count) sockets in a minute")
            }
            network.journal.note("\(name) opens a socket\(fate.fault.map { ": \($0.rawValue)" } ?? "")")
            await pause(fate.requestDelay)
            await clock.awake()
            guard !isClosed else { throw WebSocketError.lost }
            switch fate.fault {
            case .requestLost:
                await pause(.seconds(20))
                throw WebSocketError.lost
            case .captivePortal: throw WebSocketError.refused(WebSocketRefusal(status: 200))
            case .unavailable:
                throw WebSocketError.refused(WebSocketRefusal(status: 503, headers: ["Retry-After": "3"]))
            case .replyLost, .replyCut, .repeated, nil: break
            }
            guard let channel = network.openChannel() else { throw WebSocketError.lost }
            count += 1
            let number = count
            nonisolated(unsafe) var recorded: Int?
            let socket = ClientSocket(channel, name: "\(name) socket \(number)", sockets, clock) {
                [weak self, sockets] message in
                guard let id = recorded else { return }
                if message != nil { return sockets.receive(id) }
                sockets.closes(id)
                self?.open[number] = nil
            }
            open[number] = socket
            do {
                try await socket.open(request, protocols: protocols)
            } catch {
                open[number] = nil
                if case WebSocketError.refused(let refusal) = error {
                    sockets.refused += 1
                    network.journal.note("a server refuses a socket of \(name): \(refusal.status)")
                }
                throw error
            }
            if [.replyLost, .replyCut].contains(fate.fault) {
                socket.reset()
                throw WebSocketError.lost
            }
            let id = sockets.opens(name, with: request.bearerToken, clock)
            recorded = id
            if socket.hasEnded {
                // A close frame came with the response to the handshake.
                sockets.closes(id)
                open[number] = nil
            }
            sockets.drawLoss(of: socket)
            return socket
        }

        /// Whether an open WebSocket passes nothing on.
        var hasSilentSocket: Bool { open.values.contains { $0.isSilent } }

        /// The process ends: its connections are reset.
        func close() {
            isClosed = true
            let all = open.sorted { $0.key < $1.key }
            open = [:]
            for (_, socket) in all { socket.reset() }
        }

        private func pause(_ duration: Duration) async {
            await withCheckedContinuation { continuation in
                SimulationExecutor.shared.schedule(after: duration) { continuation.resume() }
            }
        }
    }
#endif
