// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import NIOConcurrencyHelpers
import NIOCore

/// A handle to one socket, usable from any thread.
struct OpenSocket: Sendable {
    /// A command to a socket.
    enum Command: Sendable {
        case send(SocketMessage)
        case end(EndReason)
        /// Closes the socket because its queue of unwritten bytes is full.
        case drop
        /// Closes the socket because its slot was given to another client.
        case displace
    }

    private let channel: any Channel
    private let limit: Int
    /// The number of queued bytes.
    ///
    /// They are counted before the event loop processes them, which also bounds the queue of a slow event loop.
    private let waiting = NIOLockedValueBox(0)

    init(_ channel: any Channel, limit: Int) {
        self.channel = channel
        self.limit = limit
    }

    /// Appends a message to the queue of unwritten messages.
    ///
    /// - Returns: The result of the write, or `nil` if the queue is full: the client is then too slow, and the socket
    ///   is closed.
    func send(_ message: SocketMessage) -> EventLoopFuture<Void>? {
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

    func end(_ reason: EndReason) { channel.triggerUserOutboundEvent(Command.end(reason), promise: nil) }
}
