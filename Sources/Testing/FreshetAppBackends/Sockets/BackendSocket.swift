// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A WebSocket that a client has opened to a fake backend.
package struct BackendSocket: Sendable {
    /// An action of the backend on the socket.
    package enum Command: Sendable, Equatable {
        case send(String)
        case ping
        /// Sends a close frame (RFC 6455 section 5.5.1), then closes the connection.
        case close(code: UInt16, reason: String)
        /// Closes the connection without a close frame.
        case drop
        /// Sends an invalid frame, with a reserved bit set.
        case malformedFrame
        /// Checks the token's expiry again, because the backend's clock was set.
        case clockChanged
    }

    package let id: Int
    /// The commands to carry out, in order.
    package let commands: AsyncStream<Command>
    let token: String
    let queue: AsyncStream<Command>.Continuation
}

extension BackendSocket: CustomStringConvertible, CustomReflectable {
    /// The socket's number; the other fields contain a token.
    package var description: String { "BackendSocket(\(id))" }
    /// An empty mirror, to keep tokens out of output.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}
