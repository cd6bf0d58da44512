// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import NIOConcurrencyHelpers

/// The socket of a connection, which one thread can shut down while another one waits for an answer on it.
final class PostgresSocket: Sendable {
    private let descriptor: Int32

    /// Duplicates the descriptor, because libpq closes its own after an error, and the number may be in use again.
    init(duplicating descriptor: Int32) throws {
        self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard self.descriptor >= 0 else {
            throw SQLError.connectionLost("no file descriptor is left: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// Ends the connection: the thread that waits for an answer receives the end of the stream.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// The sockets of open connections that may wait without end.
final class PostgresSockets: Sendable {
    private struct WeakSocket {
        weak var socket: PostgresSocket?
    }

    private struct State {
        /// Those of open connections, and of some that are closed.
        var sockets: [WeakSocket] = []
        var isShutDown = false
    }

    private let state = NIOLockedValueBox(State())

    /// Adds a new connection's socket.
    ///
    /// - Throws: `SQLError` of kind `transient` after ``shutDown()``.
    func add(_ socket: PostgresSocket) throws {
        try state.withLockedValue { state in
            guard !state.isShutDown else { throw SQLError.connectionLost("the server ends") }
            state.sockets.removeAll { $0.socket == nil }
            state.sockets.append(WeakSocket(socket: socket))
        }
    }

    /// Shuts down all sockets, and refuses new ones.
    ///
    /// PostgreSQL may store the changes that are waiting. No statement is cancelled: PostgreSQL would confirm a change
    /// that the standby does not have.
    func shutDown() {
        let sockets = state.withLockedValue { state in
            state.isShutDown = true
            return state.sockets.compactMap(\.socket)
        }
        for socket in sockets { socket.shutDown() }
    }
}
