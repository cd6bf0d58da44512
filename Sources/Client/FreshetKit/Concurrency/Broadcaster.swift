// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Delivers values to any number of streams and observers, in order.
///
/// Values are delivered under a lock: streams never block, and an observer must neither block nor call the broadcaster.
package final class Broadcaster<Value: Sendable>: Sendable {
    private struct Content {
        var latest: Value?
        var lastID = 0
        var streams: [Int: AsyncStream<Value>.Continuation] = [:]
        var observers: [Int: @Sendable (Value) -> Void] = [:]
    }

    private let bufferSize: Int
    private let content: Locked<Content>

    /// Creates a broadcaster whose streams begin with the next value.
    ///
    /// - Parameter bufferSize: The number of values that a stream keeps for a slow reader, which misses the oldest.
    package init(bufferSize: Int) {
        self.bufferSize = bufferSize
        content = Locked(Content())
    }

    deinit {
        content.withLock { content in
            for stream in content.streams.values { stream.finish() }
        }
    }

    /// Whether any stream or observer receives values.
    package var hasSubscribers: Bool { content.withLock { !$0.streams.isEmpty || !$0.observers.isEmpty } }

    /// The current state; `nil` if the broadcaster has none.
    package var latest: Value? { content.withLock { $0.latest } }

    /// Delivers a value to all streams and observers.
    package func send(_ value: Value) { content.withLock { Self.deliver(value, &$0) } }

    private static func deliver(_ value: Value, _ content: inout Content) {
        if content.latest != nil { content.latest = value }
        for stream in content.streams.values { stream.yield(value) }
        for observer in content.observers.values { observer(value) }
    }

    /// Returns a stream of all later values.
    ///
    /// If the broadcaster has a state, the stream starts with the current one.
    package func stream() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self,
            bufferingPolicy: .bufferingNewest(bufferSize)
        )
        let id = content.withLock { content in
            content.lastID += 1
            content.streams[content.lastID] = continuation
            if let latest = content.latest { continuation.yield(latest) }
            return content.lastID
        }
        continuation.onTermination = { [weak self] _ in
            self?.content.withLock { content in content.streams[id] = nil }
        }
        return stream
    }

    /// Calls `observer` with every further value.
    ///
    /// - Returns: The ID for ``removeObserver(_:)``.
    @discardableResult
    package func addObserver(_ observer: @escaping @Sendable (Value) -> Void) -> Int {
        content.withLock { content in
            content.lastID += 1
            content.observers[content.lastID] = observer
            return content.lastID
        }
    }

    /// Stops calling an observer.
    package func removeObserver(_ id: Int) { content.withLock { $0.observers[id] = nil } }
}

extension Broadcaster where Value: Equatable {
    /// Creates a broadcaster of a state, whose streams begin with the current one.
    package convenience init(state: Value, bufferSize: Int) {
        self.init(bufferSize: bufferSize)
        content.withLock { $0.latest = state }
    }

    /// Delivers a state unless it is the current one.
    package func sendIfChanged(_ state: Value) {
        content.withLock { content in
            if content.latest != state { Self.deliver(state, &content) }
        }
    }
}
