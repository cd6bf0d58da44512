// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
internal import FreshetContract

extension AuthSession {
    /// A WebSocket that is kept open with this session's tokens.
    ///
    /// A refresh that is needed is over before the socket connects. The contract says where the token goes, what refusals and
    /// close codes mean, and whether a new token is pushed into the open socket; without a socket in the contract the token
    /// goes where requests carry it.
    ///
    /// The session has one socket for each URL: asking again gives the same object for as long as somebody holds it.
    ///
    /// - Parameters:
    ///   - url: A `ws` or `wss` URL (`http` and `https` stand for them) at the base URL's origin or a configured host; `nil`
    ///     for the contract's own path.
    ///   - configuration: What differs from the defaults.
    ///   - transport: What opens WebSockets.
    /// - Returns: A socket that is not open yet.
    /// - Throws: ``SessionError/contractFault(_:)`` if the token would go where it must not, if the contract has no socket
    ///   and no URL is given, or if the URL's socket is in use with another configuration.
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
