// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    public import FreshetKit
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    public import NIOSSL

    #if canImport(FoundationNetworking)
        public import FoundationNetworking
    #else
        public import Foundation
    #endif

    /// Opens WebSockets with SwiftNIO: on Linux, where `URLSession` has none, and on Apple's systems.
    ///
    /// A refusal contains the first 64 KiB of the response's body, and frames are limited by
    /// ``FreshetKit/WebSocketLimits``.
    public struct NIOWebSocketTransport: WebSocketTransport {
        private let tls: TLSConfiguration

        /// Creates a transport, which by default trusts the system's certificate authorities.
        ///
        /// - Parameter tls: The TLS configuration of `wss` connections.
        public init(tls: TLSConfiguration = .makeClientConfiguration()) { self.tls = tls }

        /// Opens a WebSocket.
        public func connect(
            _ request: URLRequest,
            protocols: [String],
            limits: WebSocketLimits
        ) async throws -> any WebSocketConnection {
            guard let target = HandshakeTarget(request, protocols: protocols) else {
                throw WebSocketError.unsupported("the URL is not a ws or wss URL")
            }
            let deadline = NIODeadline.now() + TimeAmount(limits.handshakeDeadline)
            let attempt = HandshakeAttempt()
            return try await withTaskCancellationHandler {
                do {
                    let outcome = try await performHandshake(target, limits, deadline, attempt)
                    return try await outcome.connection(limits)
                } catch {
                    attempt.abandon()
                    throw error as? WebSocketError ?? .lost
                }
            } onCancel: {
                attempt.abandon()
            }
        }

        private func performHandshake(
            _ target: HandshakeTarget,
            _ limits: WebSocketLimits,
            _ deadline: NIODeadline,
            _ attempt: HandshakeAttempt
        ) async throws -> HandshakeOutcome {
            let context = target.isEncrypted ? try NIOSSLContext(configuration: tls) : nil
            let result = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(TimeAmount(limits.handshakeDeadline))
                .channelOption(.socketOption(.tcp_nodelay), value: 1)
                .connect(host: target.host, port: target.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard attempt.add(channel) else { throw WebSocketError.lost }
                        if let context {
                            let handler = try NIOSSLClientHandler(context: context, serverHostname: target.serverName)
                            try channel.pipeline.syncOperations.addHandler(handler)
                        }
                        let handshakeTimeout = channel.eventLoop.scheduleTask(deadline: deadline) {
                            channel.close(promise: nil)
                        }
                        let tail = UpgradeBufferingHandler()
                        try channel.pipeline.syncOperations.addHandler(tail)
                        let upgrade = try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                            configuration: .init(upgradeConfiguration: target.upgrade(limits))
                        )
                        upgrade.assumeIsolated().whenComplete { result in
                            tail.release()
                            // The timeout also covers the body of a refusal.
                            if case .success(.open) = result { handshakeTimeout.cancel() }
                        }
                        channel.closeFuture.whenComplete { _ in handshakeTimeout.cancel() }
                        return upgrade
                    }
                }
            return try await result.get()
        }
    }

    /// The channels of a handshake, so that it can be cancelled.
    private final class HandshakeAttempt: Sendable {
        private let channels = Locked<[any Channel]?>([])

        /// Adds a channel, unless the handshake was cancelled.
        ///
        /// - Returns: Whether the handshake was not cancelled.
        func add(_ channel: any Channel) -> Bool {
            channels.withLock { channels in
                channels?.append(channel)
                return channels != nil
            }
        }

        func abandon() {
            let left = channels.withLock { channels in
                defer { channels = nil }
                return channels ?? []
            }
            for channel in left { channel.close(promise: nil) }
        }
    }
#endif
