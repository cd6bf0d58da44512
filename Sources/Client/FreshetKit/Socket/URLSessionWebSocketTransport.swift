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
///
/// A configuration and a delegate of the app are used as by ``URLSessionTransport``, with two differences: a socket never
/// waits for connectivity, and the configuration's timeouts do not end it.
public struct URLSessionWebSocketTransport: WebSocketTransport {
    private let configuration: URLSessionConfiguration
    private let app: AppSessionDelegate

    /// Creates a transport; every socket has its own `URLSession`.
    public init() { self.init(using: .ephemeral, AppSessionDelegate(nil)) }

    /// Creates a transport that uses a configuration and a delegate of the app.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of all sockets; it is copied.
    ///   - delegate: Receives the challenges of TLS and proxies, and the metrics of handshakes.
    /// - Throws: ``URLSessionTransport/ConfigurationError/background`` for the configuration of a background session.
    public init(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)? = nil
    ) throws(URLSessionTransport.ConfigurationError) {
        guard configuration.identifier == nil else { throw .background }
        self.init(using: configuration, AppSessionDelegate(delegate))
    }

    private init(using configuration: URLSessionConfiguration, _ app: AppSessionDelegate) {
        self.configuration = configuration.withoutStoredState.forWebSocket
        self.app = app
    }

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
        let delegate = WebSocketTaskDelegate(app)
        let connection = URLSessionWebSocketConnection(request, limits, configuration, delegate)
        try await withTaskCancellationHandler {
            try await connection.open()
        } onCancel: {
            connection.cancel()
        }
        return connection
    }
}
