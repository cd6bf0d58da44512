// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The state of a socket, for everybody who reads it without waiting.
///
/// The lock guards plain values; nothing but reading and replacing them happens under it.
final class SocketBroadcaster: Sendable {
    private struct Content {
        var state = SocketState.idle
        var lastListener = 0
        var listeners: [Int: AsyncStream<SocketState>.Continuation] = [:]
    }

    private let content = Locked(Content())

    deinit {
        content.withLock { content in
            for listener in content.listeners.values { listener.finish() }
        }
    }

    var state: SocketState { content.withLock { $0.state } }

    func publish(_ state: SocketState) {
        content.withLock { content in
            guard content.state != state else { return }
            content.state = state
            for listener in content.listeners.values { listener.yield(state) }
        }
    }

    /// The current state, then every further one; a listener that is slow misses the oldest.
    func states() -> AsyncStream<SocketState> {
        let (stream, listener) = AsyncStream.makeStream(of: SocketState.self, bufferingPolicy: .bufferingNewest(64))
        let id = content.withLock { content in
            content.lastListener += 1
            content.listeners[content.lastListener] = listener
            listener.yield(content.state)
            return content.lastListener
        }
        listener.onTermination = { [weak self] _ in
            self?.content.withLock { content in content.listeners[id] = nil }
        }
        return stream
    }
}
