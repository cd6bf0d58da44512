// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An open WebSocket.
///
/// ``receive()`` and ``send(_:)`` are each called by one task at a time; ``ping()`` and ``close(code:)`` may be called
/// concurrently.
public protocol WebSocketConnection: Sendable {
    /// Waits for the next complete message, in the server's order.
    ///
    /// Reads from the network only while a call waits, which applies backpressure to the server.
    ///
    /// - Throws: ``WebSocketError/closed(code:)`` once the server has closed the socket and all earlier messages were
    ///   received, another error if the connection was lost.
    func receive() async throws -> WebSocketMessage

    /// Sends a message, and returns when the system has accepted all of it.
    func send(_ message: WebSocketMessage) async throws

    /// Sends a ping, and returns when the pong arrives.
    func ping() async throws

    /// Sends a close frame, waits briefly for the server's, and closes the connection.
    ///
    /// It may be called at any time and more than once; pending calls fail with an error.
    func close(code: Int) async
}
