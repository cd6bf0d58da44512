// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit
package import FreshetTesting

extension AppBackend {
    /// The number of open sockets.
    package var openSockets: Int { state.withLock { $0.sockets.count } }

    /// The latest text messages that clients sent over their sockets; the oldest first.
    package var socketMessages: [String] { state.withLock { $0.socketMessages } }

    /// Sends a text message to every open socket.
    package func publish(_ text: String) { command(.send(text)) }

    /// Pings every open socket now, in addition to ``BackendSettings/socketPingInterval``.
    package func pingSockets() { command(.ping) }

    /// Closes every open socket.
    ///
    /// - Parameters:
    ///   - code: The close code (RFC 6455 section 7.4).
    ///   - reason: A human-readable reason, at most 123 bytes.
    package func closeSockets(code: UInt16 = 1001, reason: String = "") {
        command(.close(code: code, reason: String(decoding: reason.utf8.prefix(123), as: UTF8.self)))
    }

    /// Closes the connections of all sockets without a close frame, as after a network failure.
    package func dropSockets() { command(.drop) }

    /// Sends bytes that are not a valid frame to every open socket.
    package func sendMalformedFrames() { command(.malformedFrame) }

    package func command(_ command: BackendSocket.Command) {
        let sockets = state.withLock { Array($0.sockets.values) }
        for socket in sockets { socket.queue.yield(command) }
    }

    /// Sends a command to one socket.
    package func command(_ command: BackendSocket.Command, to socket: BackendSocket) { socket.queue.yield(command) }

    /// Pings one socket.
    package func ping(_ socket: BackendSocket) { command(.ping, to: socket) }

    // MARK: - For the WebSocket server

    /// Creates the socket of an accepted handshake.
    package func openSocket(for request: BackendRequest) -> BackendSocket {
        let token = request.query.first { $0.name == "token" }?.value ?? ""
        let (commands, queue) = AsyncStream.makeStream(of: BackendSocket.Command.self)
        return change { state in
            state.lastSocket += 1
            let socket = BackendSocket(id: state.lastSocket, commands: commands, token: token, queue: queue)
            state.sockets[socket.id] = socket
            return socket
        }
    }

    /// Removes a socket whose connection is closed.
    package func closed(_ socket: BackendSocket) {
        socket.queue.finish()
        change { _ = $0.sockets.removeValue(forKey: socket.id) }
    }

    /// Records a text message that a client sent.
    package func received(_ text: String) {
        change { state in
            if state.socketMessages.count >= Self.retainedExchanges { state.socketMessages.removeFirst() }
            state.socketMessages.append(text)
        }
    }

    /// Counts a pong.
    package func receivedPong() { change { $0.counts.pongs += 1 } }

    /// Returns the remaining lifetime of a socket's access token in seconds; zero or less if it has expired.
    package func timeLeft(of socket: BackendSocket) -> Double {
        act { state in (state.ledger.expiry(of: socket.token) ?? state.clock) - state.clock }
    }
}
