// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An open WebSocket.
///
/// ``receive()`` and ``send(_:)`` are each called by one task at a time, ``ping()`` and ``close(code:)`` beside them.
public protocol WebSocketConnection: Sendable {
    /// Waits for the next message, whole and in the server's order.
    ///
    /// Nothing is read from the network for messages that nobody asks for, beyond what a read brought anyway: that is how
    /// a slow reader slows the server down.
    ///
    /// - Throws: ``WebSocketError/closed(code:)`` once the server has closed the socket and everything before was received,
    ///   another error if the connection was lost.
    func receive() async throws -> WebSocketMessage

    /// Sends a message, and returns when the system has taken all of it.
    func send(_ message: WebSocketMessage) async throws

    /// Sends a ping, and returns when its pong has come.
    func ping() async throws

    /// Says goodbye, waits a moment for the server's, and leaves nothing open.
    ///
    /// It may be called at any time and more than once; whoever still waits for something gets an error.
    func close(code: Int) async
}
