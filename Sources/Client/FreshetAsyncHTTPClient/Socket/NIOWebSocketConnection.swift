// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    import FreshetKit
    import NIOCore

    /// An open WebSocket on a NIO channel.
    final class NIOWebSocketConnection: WebSocketConnection {
        private let channel: any Channel
        private let messages: NIOLoopBound<WebSocketMessageHandler>
        private let limits: WebSocketLimits

        init(_ channel: any Channel, _ messages: NIOLoopBound<WebSocketMessageHandler>, _ limits: WebSocketLimits) {
            self.channel = channel
            self.messages = messages
            self.limits = limits
        }

        deinit { channel.close(promise: nil) }

        func receive() async throws -> WebSocketMessage { try await submit { $0.receive($1) } }

        func send(_ message: WebSocketMessage) async throws { try await submit { $0.send(message, $1) } }

        func ping() async throws { try await submit { $0.ping($1) } }

        func close(code: Int) async {
            channel.eventLoop.execute { [channel, messages, limits] in
                messages.value.close(code: code)
                let closeTimeout = channel.eventLoop.scheduleTask(in: TimeAmount(limits.closeDeadline)) {
                    channel.close(promise: nil)
                }
                channel.closeFuture.whenComplete { _ in closeTimeout.cancel() }
            }
            try? await channel.closeFuture.get()
        }

        private func submit<Value: Sendable>(
            _ operation: @escaping @Sendable (WebSocketMessageHandler, EventLoopPromise<Value>) -> Void
        ) async throws -> Value {
            let promise = channel.eventLoop.makePromise(of: Value.self)
            channel.eventLoop.execute { [messages] in operation(messages.value, promise) }
            do { return try await promise.futureResult.get() } catch { throw error as? WebSocketError ?? .lost }
        }
    }
#endif
