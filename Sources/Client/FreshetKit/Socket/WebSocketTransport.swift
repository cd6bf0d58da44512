// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Opens WebSockets (RFC 6455), without any policy.
///
/// The session decides which token a socket presents, and when it reconnects.
public protocol WebSocketTransport: Sendable {
    /// Opens a WebSocket.
    ///
    /// A redirect is not followed: it is a refusal like every response but 101.
    ///
    /// - Parameters:
    ///   - request: A `ws` or `wss` URL, with the headers that are sent in addition to those of the handshake. The URL
    ///     may contain an access token: it must not appear in logs or errors.
    ///   - protocols: The subprotocols to offer, in order.
    ///   - limits: The connection's limits.
    /// - Returns: A connection whose handshake is complete.
    /// - Throws: ``WebSocketError/refused(_:)`` if the server responded with a status other than 101,
    ///   ``WebSocketError/unsupported(_:)`` if this transport has no WebSockets, any other error for a network failure.
    func connect(
        _ request: URLRequest,
        protocols: [String],
        limits: WebSocketLimits
    ) async throws -> any WebSocketConnection
}
