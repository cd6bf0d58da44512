// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A WebSocket that a client has open at a fake backend.
package struct BackendSocket: Sendable {
    /// What the backend does with the socket.
    package enum Command: Sendable, Equatable {
        case send(String)
        case ping
        /// A close frame (RFC 6455 section 5.5.1), and then the end of the connection.
        case close(code: UInt16, reason: String)
        /// The connection is closed without a close frame.
        case drop
        /// Bytes that are no frame: a reserved opcode.
        case malformedFrame
        /// The backend's clock was set: the token may have expired, or live on.
        case clockChanged
    }

    package let id: Int
    /// What is to be done, in order.
    package let commands: AsyncStream<Command>
    let token: String
    let queue: AsyncStream<Command>.Continuation
}

extension BackendSocket: CustomStringConvertible, CustomReflectable {
    /// The number; the rest is a token.
    package var description: String { "BackendSocket(\(id))" }
    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection(), displayStyle: .struct) }
}
