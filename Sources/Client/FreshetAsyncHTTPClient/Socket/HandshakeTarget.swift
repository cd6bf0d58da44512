// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    import Foundation
    import FreshetKit
    import NIOCore
    import NIOHTTP1
    import NIOWebSocket

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// The address and the request of a handshake (RFC 6455 section 4.1).
    struct HandshakeTarget: Sendable {
        let host: String
        let port: Int
        let isEncrypted: Bool
        /// The TLS server name; `nil` for an IP address.
        let serverName: String?
        private let head: HTTPRequestHead
        private let protocols: [String]

        /// Parses a handshake request; `nil` if its URL is not that of a socket, or its port is outside TCP's range.
        init?(_ request: URLRequest, protocols: [String]) {
            guard let url = request.url, let parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
                let name = parts.host, !name.isEmpty,
                let (isEncrypted, standard) = [
                    "ws": (false, 80), "http": (false, 80), "wss": (true, 443), "https": (true, 443),
                ][
                    parts.scheme?.lowercased() ?? ""
                ]
            else { return nil }
            // NIO's resolver traps on a port outside TCP's range.
            guard (1...65_535).contains(parts.port ?? standard) else { return nil }
            host = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
            port = parts.port ?? standard
            self.isEncrypted = isEncrypted
            let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
            serverName = isAddress ? nil : host
            var headers = HTTPHeaders()
            let shown = host.contains(":") ? "[\(host)]" : host
            headers.add(name: "Host", value: port == standard ? shown : "\(shown):\(port)")
            for (name, value) in request.allHTTPHeaderFields ?? [:] where !Self.isReservedHeader(name) {
                headers.add(name: name, value: value)
            }
            if !protocols.isEmpty {
                headers.add(name: "Sec-WebSocket-Protocol", value: protocols.joined(separator: ", "))
            }
            let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
            let uri = parts.percentEncodedQuery.map { "\(path)?\($0)" } ?? path
            head = HTTPRequestHead(version: .http1_1, method: .GET, uri: uri, headers: headers)
            self.protocols = protocols
        }

        /// Whether the handshake itself sets a header field.
        private static func isReservedHeader(_ name: String) -> Bool {
            let name = name.lowercased()
            return ["host", "connection", "upgrade"].contains(name) || name.hasPrefix("sec-websocket-")
        }

        /// Returns the upgrade configuration: the request, and the handlers of its response.
        func upgrade(_ limits: WebSocketLimits) -> NIOTypedHTTPClientUpgradeConfiguration<HandshakeOutcome> {
            let upgrader = NIOTypedWebSocketClientUpgrader<HandshakeOutcome>(
                maxFrameSize: Self.maximumFrame(limits),
                enableAutomaticErrorHandling: false
            ) { channel, answer in
                channel.eventLoop.makeCompletedFuture {
                    guard accepts(answer.headers) else { throw WebSocketError.lost }
                    let messages = WebSocketMessageHandler()
                    try channel.pipeline.syncOperations.addHandlers(Self.messageHandlers(limits, messages))
                    return .open(channel, NIOLoopBound(messages, eventLoop: channel.eventLoop))
                }
            }
            return NIOTypedHTTPClientUpgradeConfiguration(upgradeRequestHead: head, upgraders: [upgrader]) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let refusal = channel.eventLoop.makePromise(of: WebSocketRefusal.self)
                    try channel.pipeline.syncOperations.addHandler(WebSocketRefusalHandler(refusal))
                    return .refused(refusal.futureResult)
                }
            }
        }

        /// The maximum size of a frame; a control frame has 125 bytes at most.
        static func maximumFrame(_ limits: WebSocketLimits) -> Int {
            min(max(limits.maximumMessage, 125), Int(UInt32.max))
        }

        /// Returns the handlers between NIO's frame decoder and the connection.
        static func messageHandlers(
            _ limits: WebSocketLimits,
            _ messages: WebSocketMessageHandler
        ) -> [any ChannelHandler] {
            [
                WebSocketFrameValidationHandler(limits),
                NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 0,
                    maxAccumulatedFrameCount: 1 << 16,
                    maxAccumulatedFrameSize: limits.maximumMessage
                ),
                messages,
            ]
        }

        /// Whether the server selected no extension, and only a subprotocol that was offered.
        ///
        /// See RFC 6455 section 4.1, steps 5 and 6.
        private func accepts(_ headers: HTTPHeaders) -> Bool {
            let chosen = headers[canonicalForm: "Sec-WebSocket-Protocol"]
            return headers["Sec-WebSocket-Extensions"].allSatisfy(\.isEmpty) && chosen.count <= 1
                && chosen.allSatisfy { protocols.contains(String($0)) }
        }
    }
#endif
