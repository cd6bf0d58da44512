// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetContract

extension AuthSession {
    /// Returns the WebSocket for a URL, which stays connected with this session's tokens.
    ///
    /// A token that is due is refreshed before the socket connects. The contract defines how the token is sent, the
    /// meaning of refusals and close codes, and whether a new token is pushed over the open socket. If the contract has
    /// no socket, the token is sent as in requests.
    ///
    /// The session has one socket per URL: further calls return the same object while the app retains it.
    ///
    /// - Parameters:
    ///   - url: A `ws` or `wss` URL (`http` and `https` are equivalent) at the base URL's origin or a configured host;
    ///     `nil` for the contract's own path.
    ///   - configuration: The socket's configuration.
    ///   - transport: The transport that opens WebSockets.
    /// - Returns: A socket that is not open yet.
    /// - Throws: ``SessionError/unsupported(_:)`` if the contract has no socket and no URL is given;
    ///   ``SessionError/misconfigured(_:)`` if the token must not be sent to the URL, or if the URL's socket is in use
    ///   with another configuration.
    public func socket(
        _ url: URL? = nil,
        configuration: SocketConfiguration = SocketConfiguration(),
        transport: any WebSocketTransport = URLSessionWebSocketTransport()
    ) throws(SessionError) -> SessionSocket {
        let request = try SocketRequest(
            url,
            contract: contract,
            baseURL: baseURL,
            values: endpoint.values,
            origins: pipeline.origins,
            protocols: configuration.protocols
        )
        let rules = SocketPolicy(configuration, contract.document.socket)
        let classifier = SocketClassifier(contract, isBaseOrigin: request.origin == pipeline.baseOrigin)
        return try sockets.socket(request.url, configuration) { semaphore, environment in
            SessionSocket(
                SocketDriver(
                    SocketDriver.Dependencies(
                        request: request,
                        configuration: configuration,
                        rules: rules,
                        classifier: classifier,
                        tokens: SocketTokenProvider(source: tokens.automatic),
                        transport: transport,
                        semaphore: semaphore
                    ),
                    in: environment
                )
            )
        }
    }
}

extension SocketPolicy {
    fileprivate init(_ configuration: SocketConfiguration, _ shape: SocketDefinition?) {
        backoff = configuration.backoff
        stableAfter = configuration.stableAfter
        minimumTokenLifetime = configuration.minimumTokenLifetime
        if case .message = shape?.renewal {
            renewal = .push
        } else {
            renewal = configuration.reconnectLeadTime.map { .reconnect(lead: $0) } ?? .none
        }
    }
}
