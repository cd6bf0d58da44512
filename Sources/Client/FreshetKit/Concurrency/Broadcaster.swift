// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Delivers values to any number of streams and observers, in order.
///
/// No lock is held while a value is delivered: the resumption of a task waits for a lock of that task, which the runtime
/// holds while a cancellation runs the task's handlers, and these may call the SDK. Several threads may send; one of them
/// delivers all values.
package final class Broadcaster<Value: Sendable>: Sendable {
    private typealias Observer = @Sendable (Value) -> Void

    /// A value and its recipients.
    private struct Delivery {
        var value: Value
        var streams: [Int: AsyncStream<Value>.Continuation]
        var observers: [Int: Observer]
    }

    private struct Content {
        var latest: Value?
        var lastID = 0
        var streams: [Int: AsyncStream<Value>.Continuation] = [:]
        var observers: [Int: Observer] = [:]
        /// The values that are not delivered yet.
        var deliveries: ArraySlice<Delivery> = []
        /// Whether a thread is delivering values.
        var isDelivering = false

        mutating func post(_ value: Value) {
            if latest != nil { latest = value }
            guard !streams.isEmpty || !observers.isEmpty else { return }
            deliveries.append(Delivery(value: value, streams: streams, observers: observers))
        }
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
        let streams = content.withLock { $0.streams }
        for stream in streams.values { stream.finish() }
    }

    /// Whether any stream or observer receives values.
    package var hasSubscribers: Bool { content.withLock { !$0.streams.isEmpty || !$0.observers.isEmpty } }

    /// The current state; `nil` if the broadcaster has none.
    package var latest: Value? { content.withLock { $0.latest } }

    /// Delivers a value to all streams and observers.
    ///
    /// If another thread is delivering values, that one delivers it.
    package func send(_ value: Value) {
        post(value)
        deliver()
    }

    /// Adds a value, for the next ``deliver()``.
    ///
    /// A caller that posts under a lock of its own, so that values have the order of its changes, delivers after it.
    package func post(_ value: Value) { content.withLock { $0.post(value) } }

    /// Delivers the values that were posted, unless another thread is doing so.
    ///
    /// No lock may be held.
    package func deliver() {
        let isFirst = content.withLock { content in
            guard !content.isDelivering, !content.deliveries.isEmpty else { return false }
            content.isDelivering = true
            return true
        }
        guard isFirst else { return }
        while let delivery = next() {
            for observer in delivery.observers.values { observer(delivery.value) }
            for stream in delivery.streams.values { stream.yield(delivery.value) }
        }
    }

    /// Returns the next delivery; `nil` if there is none, which ends the delivering.
    private func next() -> Delivery? {
        content.withLock { content in
            if let delivery = content.deliveries.popFirst() { return delivery }
            content.deliveries = []
            content.isDelivering = false
            return nil
        }
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
            // No task waits for it yet, so that none resumes under the lock.
            if let latest = content.latest { continuation.yield(latest) }
            return content.lastID
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.content.withLock { content in content.streams.removeValue(forKey: id) }
        }
        return stream
    }

    /// Calls `observer` with every further value, one at a time, and before any stream has the value.
    ///
    /// It must not block, as the next values wait for it.
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
    ///
    /// A call that another thread has begun may still be running.
    package func removeObserver(_ id: Int) {
        _ = content.withLock { content in content.observers.removeValue(forKey: id) }
    }
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
            if content.latest != state { content.post(state) }
        }
        deliver()
    }
}
