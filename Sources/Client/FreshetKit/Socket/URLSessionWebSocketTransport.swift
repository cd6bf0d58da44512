// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Opens WebSockets with `URLSession`.
///
/// A refused handshake has a status and headers, but no body. On Linux, support depends on the system's libcurl, which
/// usually has no WebSockets: connecting then fails with ``WebSocketError/unsupported(_:)``.
public struct URLSessionWebSocketTransport: WebSocketTransport {
    /// Creates a transport; every socket has its own `URLSession`.
    public init() {}

    /// Opens a WebSocket.
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
