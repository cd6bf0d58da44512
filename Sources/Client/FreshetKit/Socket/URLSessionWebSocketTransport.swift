// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Opens WebSockets with `URLSession`.
///
/// A refused handshake tells its status and headers; the system hands over no body. On Linux it depends on the system's
/// libcurl, which mostly has no WebSockets: connecting then fails with ``WebSocketError/unsupported(_:)``.
public struct URLSessionWebSocketTransport: WebSocketTransport {
    /// Every socket has a `URLSession` of its own.
    public init() {}

    /// Opens a socket.
    public func connect(
        _ request: URLRequest,
        protocols: [String],
        limits: WebSocketLimits
    ) async throws -> any WebSocketConnection {
        var request = request
        request.timeoutInterval = limits.handshakeDeadline.inSeconds
        if !protocols.isEmpty {
            request.setValue(protocols.joined(separator: ", "), forHTTPHeaderField: "Sec-WebSocket-Protocol")
        }
        let delegate = WebSocketTaskDelegate()
        let connection = URLSessionWebSocketConnection(request, limits, delegate)
        try await withTaskCancellationHandler {
            try await connection.open()
        } onCancel: {
            connection.cancel()
        }
        return connection
    }
}
