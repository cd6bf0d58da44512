// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What may be read of an outbox without waiting for its driver.
final class OutboxBroadcaster: Sendable {
    private struct Content {
        var counts = OutboxCounts()
        var lastListener = 0
        var listeners: [Int: AsyncStream<OutboxEvent>.Continuation] = [:]
        /// Closures that are called with every event for as long as the outbox lives.
        var observers: [@Sendable (OutboxEvent) -> Void] = []
    }

    private let content = Locked(Content())

    deinit {
        content.withLock { content in
            for listener in content.listeners.values { listener.finish() }
        }
    }

    var counts: OutboxCounts { content.withLock { $0.counts } }

    func publish(_ counts: OutboxCounts) { content.withLock { $0.counts = counts } }

    func emit(_ kind: OutboxEvent.Kind, _ entry: OutboxEntry? = nil) {
        content.withLock { content in
            guard !content.listeners.isEmpty || !content.observers.isEmpty else { return }
            let event = OutboxEvent(id: entry?.id, lane: entry?.lane, kind: kind)
            for listener in content.listeners.values { listener.yield(event) }
            for observer in content.observers { observer(event) }
        }
    }

    /// Calls `observer` with every further event, under the lock: it must not wait, nor call the outbox.
    func observe(_ observer: @escaping @Sendable (OutboxEvent) -> Void) {
        content.withLock { $0.observers.append(observer) }
    }

    /// Everything from now on; a listener that is slow misses the oldest.
    func events() -> AsyncStream<OutboxEvent> {
        let (stream, listener) = AsyncStream.makeStream(of: OutboxEvent.self, bufferingPolicy: .bufferingNewest(1_024))
        let id = content.withLock { content in
            content.lastListener += 1
            content.listeners[content.lastListener] = listener
            return content.lastListener
        }
        listener.onTermination = { [weak self] _ in
            self?.content.withLock { content in content.listeners[id] = nil }
        }
        return stream
    }
}
