// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire
import NIOConcurrencyHelpers
package import NIOCore

/// One socket as others see it, from any thread.
package struct OpenSocket: Sendable {
    /// What a socket is told to do.
    enum Command: Sendable {
        case send(SocketMessage)
        case end(EndReason)
        /// More waits to be written than may.
        case drop
        /// A socket of another client takes its place.
        case displace
    }

    private let channel: any Channel
    private let limit: Int
    /// The bytes that wait to be written; counted here, before the event loop has seen them, so that a loop that is
    /// behind cannot be filled up either.
    private let waiting = NIOLockedValueBox(0)

    init(_ channel: any Channel, limit: Int) {
        self.channel = channel
        self.limit = limit
    }

    /// Puts a message behind those that wait.
    ///
    /// - Returns: what becomes of it, or `nil` if there was no room; the client is too slow then, and the socket is closed.
    package func send(_ message: SocketMessage) -> EventLoopFuture<Void>? {
        let size = message.size
        let fits = waiting.withLockedValue { waiting in
            guard waiting == 0 || waiting + size <= limit else { return false }
            waiting += size
            return true
        }
        guard fits else {
            channel.triggerUserOutboundEvent(Command.drop, promise: nil)
            return nil
        }
        let promise = channel.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenComplete { [waiting] _ in waiting.withLockedValue { $0 -= size } }
        channel.triggerUserOutboundEvent(Command.send(message), promise: promise)
        return promise.futureResult
    }

    func displace() { channel.triggerUserOutboundEvent(Command.displace, promise: nil) }

    package func end(_ reason: EndReason) { channel.triggerUserOutboundEvent(Command.end(reason), promise: nil) }
}
