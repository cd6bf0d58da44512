// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Opens WebSockets (RFC 6455), and decides nothing.
///
/// Which token a socket shows, and when it is opened again, is decided above.
public protocol WebSocketTransport: Sendable {
    /// Opens a socket.
    ///
    /// A redirect is not followed: it is a refusal like every answer but 101.
    ///
    /// - Parameters:
    ///   - request: A `ws` or `wss` URL, with the headers that are sent beside those of the handshake. The URL may hold an
    ///     access token: neither log it nor put it into an error.
    ///   - protocols: The subprotocols that are offered, in order.
    ///   - limits: What the connection keeps to.
    /// - Returns: A connection whose handshake is over.
    /// - Throws: ``WebSocketError/refused(_:)`` if the server answered with something else than a WebSocket,
    ///   ``WebSocketError/unsupported(_:)`` if this transport never will, any other error for a fault of the network.
    func connect(
        _ request: URLRequest,
        protocols: [String],
        limits: WebSocketLimits
    ) async throws -> any WebSocketConnection
}
