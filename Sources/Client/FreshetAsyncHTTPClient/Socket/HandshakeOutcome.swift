// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    import FreshetKit
    import NIOCore

    /// The result of a handshake.
    enum HandshakeOutcome: Sendable {
        case open(any Channel, NIOLoopBound<WebSocketMessageHandler>)
        case refused(EventLoopFuture<WebSocketRefusal>)

        func connection(_ limits: WebSocketLimits) async throws -> NIOWebSocketConnection {
            switch self {
            case .open(let channel, let messages): NIOWebSocketConnection(channel, messages, limits)
            case .refused(let refusal): throw WebSocketError.refused(try await refusal.get())
            }
        }
    }
#endif
