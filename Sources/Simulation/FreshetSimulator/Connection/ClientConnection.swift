// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import NIOCore

    /// The client's end of a connection: sends requests in pieces, and checks which responses arrive, and when.
    final class ClientConnection: @unchecked Sendable {
        /// A request, from its first byte to the end of its response.
        final class Exchange {
            let id: String
            /// Pieces of the request, each with the delay before it.
            var pieces: [(delay: Duration, bytes: ByteBuffer)]
            /// The fault of the connection once the pieces are sent; `nil` without a fault.
            var fault: ConnectionFault?
            /// Called when the server has received the whole request.
            let onArrival: () -> Void
            let onResponse: (Result<HTTPResponseReader.Response, any Error>) -> Void

            init(
                id: String,
                pieces: [(delay: Duration, bytes: ByteBuffer)],
                onArrival: @escaping () -> Void,
                onResponse: @escaping (Result<HTTPResponseReader.Response, any Error>) -> Void
            ) {
                self.id = id
                self.pieces = pieces
                self.onArrival = onArrival
                self.onResponse = onResponse
            }
        }

        private let channel: SimulatedChannel
        private let journal: Journal
        private let name: String
        private var reader = HTTPResponseReader()
        /// The requests that are not sent completely; the first is being sent.
        private var outgoing: [Exchange] = []
        /// The requests whose responses have not arrived, in the order in which they were sent.
        private var awaited: [Exchange] = []
        /// The time of the first byte of the request that is being sent; `nil` between requests.
        private var partialSince: Duration?
        private var inputEndedAt: Duration?
        /// The time at which the connection was opened, or the last response arrived.
        private var quietSince: Duration
        private var hasAnswered = false
        private var hasLateClose = false
        private(set) var isOpen = true
        /// Whether further requests can be sent.
        private(set) var isUsable = true

        init(_ channel: SimulatedChannel, name: String, journal: Journal) {
            self.channel = channel
            self.name = name
            self.journal = journal
            quietSince = SimulationExecutor.shared.now
            channel.onOutput = { [weak self] output in self?.receive(output) }
            watch()
        }

        /// Whether no request is being sent or answered.
        var isIdle: Bool { outgoing.isEmpty && awaited.isEmpty }

        /// The time since the last request or response.
        var idleTime: Duration { SimulationExecutor.shared.now - quietSince }

        // MARK: - Requests

        func send(_ exchange: Exchange) {
            outgoing.append(exchange)
            awaited.append(exchange)
            // Its sender may not know yet how the one before it ends.
            if exchange.fault != nil { isUsable = false }
            if outgoing.count == 1 { sendPiece() }
        }

        /// Sends the next piece of the first request.
        private func sendPiece() {
            guard isOpen, let exchange = outgoing.first else { return }
            guard !exchange.pieces.isEmpty else { return sent(exchange) }
            let (delay, bytes) = exchange.pieces.removeFirst()
            let isLast = exchange.pieces.isEmpty && exchange.fault?.isIncomplete != true
            SimulationExecutor.shared.schedule(after: delay) { [self] in
                guard isOpen else { return }
                if partialSince == nil { partialSince = SimulationExecutor.shared.now }
                onLoop { [self] in
                    guard isOpen else { return }
                    // A request that arrives late is not owed a response.
                    if isLast { arrived(exchange) }
                    channel.receive(bytes)
                    sendPiece()
                }
            }
            watch()
        }

        private func arrived(_ exchange: Exchange) {
            partialSince = nil
            quietSince = SimulationExecutor.shared.now
            exchange.onArrival()
            watch()
        }

        private func sent(_ exchange: Exchange) {
            // The rest of an incomplete request is never sent.
            if exchange.fault?.isIncomplete != true { outgoing.removeFirst() }
            switch exchange.fault {
            case nil: sendPiece()
            case .reset(let delay), .resetInside(let delay):
                SimulationExecutor.shared.schedule(after: delay) { [self] in
                    guard isOpen else { return }
                    journal.note("\(name) is reset")
                    onLoop { [channel] in channel.receiveReset() }
                }
            case .halfClose, .halfCloseInside:
                journal.note("\(name) is half closed")
                inputEndedAt = SimulationExecutor.shared.now
                channel.receiveEnd()
                watch()
            }
        }

        /// The server's process is killed.
        func kill() {
            close()
            onLoop { [channel] in channel.receiveReset() }
        }

        private func onLoop(_ action: @escaping () -> Void) {
            nonisolated(unsafe) let action = action
            channel.eventLoop.execute { action() }
        }

        // MARK: - Responses

        private func receive(_ output: SimulatedChannel.Output) {
            // A server that is killed may still be writing.
            guard isOpen else { return }
            switch output {
            case .bytes(let bytes):
                reader.receive(bytes)
                do { while let response = try reader.next() { take(response) } } catch {
                    journal.violation("\(name) receives what is no response: \(error)")
                }
            case .end: isUsable = false
            case .closed: close()
            }
        }

        private func take(_ response: HTTPResponseReader.Response) {
            quietSince = SimulationExecutor.shared.now
            hasAnswered = true
            if response.closes { isUsable = false }
            watch()
            guard !awaited.isEmpty else {
                // A connection without a request is told of its timeout.
                if response.status != 408 || !response.closes {
                    journal.violation("\(name) receives a response to no request: \(response.status)")
                }
                return
            }
            let exchange = awaited.removeFirst()
            // A refusal of the connection's limits precedes the request's ID.
            let isRefusal = response.closes && [400, 408, 431].contains(response.status)
            if response.fields["x-request-id"] != exchange.id, !isRefusal {
                journal.violation(
                    "\(name) receives the response \(response.status) to another request than \(exchange.id)"
                )
            }
            exchange.onResponse(.success(response))
        }

        private func close() {
            guard isOpen else { return }
            isOpen = false
            isUsable = false
            if reader.hasPartialResponse, inputEndedAt == nil {
                journal.note("\(name) ends within a response")
            }
            let failed = awaited
            awaited = []
            outgoing = []
            for exchange in failed { exchange.onResponse(.failure(URLError(.networkConnectionLost))) }
        }

        // MARK: - Timeouts

        /// The time by which the server must have answered, or closed the connection; of the documented timeouts, with some
        /// seconds for the writing of a refusal.
        private var deadline: Duration {
            let received = awaited.count - outgoing.count
            // No request of a history takes longer to process.
            if received > 0 { return quietSince + .seconds(90) }
            if let inputEndedAt { return max(inputEndedAt, quietSince) + .seconds(5) }
            let idle = Duration.seconds(hasAnswered ? 60 : 10)
            // The head may arrive until the connection has been idle for too long, and the body 15 seconds after the head.
            if let partialSince { return max(quietSince + idle, partialSince) + .seconds(15 + 4) }
            return quietSince + idle + .seconds(3)
        }

        private func watch() {
            SimulationExecutor.shared.schedule(after: deadline - SimulationExecutor.shared.now + .nanoseconds(1)) {
                [weak self] in self?.check()
            }
        }

        private func check() {
            guard isOpen, !hasLateClose, deadline < SimulationExecutor.shared.now else { return }
            hasLateClose = true
            let received = awaited.count - outgoing.count
            journal.violation(
                received > 0 ? "\(name) has \(received) requests without a response" : "\(name) is not closed in time"
            )
        }
    }

    /// A fault that a client causes on a connection.
    enum ConnectionFault {
        /// Resets it some time after a request.
        case reset(after: Duration)
        /// Resets it within a request.
        case resetInside(after: Duration)
        /// Closes its half after a request.
        case halfClose
        /// Closes its half within a request.
        case halfCloseInside

        /// Whether the request remains incomplete.
        var isIncomplete: Bool {
            switch self {
            case .resetInside, .halfCloseInside: true
            case .reset, .halfClose: false
            }
        }
    }
#endif
