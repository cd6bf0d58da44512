// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Tells whoever listens what happens to a session, and keeps count.
///
/// The lock guards plain values and the yielding to streams, which never waits.
final class EventHub: Sendable {
    private struct Content {
        var recorder: StatisticsRecorder
        var lastListener = 0
        var listeners: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
        /// What hears of everything for as long as the session lives.
        var observers: [Int: @Sendable (SessionEvent) -> Void] = [:]
    }

    private static let processID = ProcessInfo.processInfo.processIdentifier
    private let content: Locked<Content>
    private let clock: SessionClock

    init(_ state: SessionState, clock: SessionClock) {
        self.clock = clock
        content = Locked(Content(recorder: StatisticsRecorder(state, at: clock.now())))
    }

    deinit {
        content.withLock { content in
            for listener in content.listeners.values { listener.finish() }
        }
    }

    func emit(_ kind: SessionEvent.Kind, sessionID: String?, generation: UInt64?) {
        let now = clock.now()
        content.withLock { content in
            content.recorder.record(kind, at: now)
            guard !content.listeners.isEmpty || !content.observers.isEmpty else { return }
            let event = SessionEvent(
                date: clock.wall(),
                processID: Self.processID,
                sessionID: sessionID,
                generation: generation,
                kind: kind
            )
            for listener in content.listeners.values { listener.yield(event) }
            for observer in content.observers.values { observer(event) }
        }
    }

    /// Calls `observer` with every further event, under the lock: it must not wait, nor ask the session anything.
    ///
    /// - Returns: What ``removeObserver(_:)`` needs.
    @discardableResult
    func addObserver(_ observer: @escaping @Sendable (SessionEvent) -> Void) -> Int {
        content.withLock { content in
            content.lastListener += 1
            content.observers[content.lastListener] = observer
            return content.lastListener
        }
    }

    /// Ends what ``addObserver(_:)`` began.
    func removeObserver(_ id: Int) { content.withLock { $0.observers[id] = nil } }

    func statistics(over window: Duration?) -> SessionStatistics {
        let now = clock.now()
        return content.withLock { content in
            window.map { content.recorder.statistics(over: $0, at: now) } ?? content.recorder.statistics(at: now)
        }
    }

    /// Every further event; a listener that is slow misses the oldest.
    func events() -> AsyncStream<SessionEvent> {
        let (stream, listener) = AsyncStream.makeStream(of: SessionEvent.self, bufferingPolicy: .bufferingNewest(256))
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
