// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

/// Delivers and counts a session's events.
///
/// The lock guards the counters and the order of events, which are delivered after it.
final class EventHub: Sendable {
    private static let processID = ProcessInfo.processInfo.processIdentifier
    private let recorder: Locked<StatisticsRecorder>
    private let broadcaster = Broadcaster<SessionEvent>(bufferSize: 256)
    private let clock: SessionClock

    init(_ state: SessionState, clock: SessionClock) {
        self.clock = clock
        recorder = Locked(StatisticsRecorder(state, at: clock.now()))
    }

    func emit(_ kind: SessionEvent.Kind, sessionID: String?, generation: UInt64?) {
        let now = clock.now()
        recorder.withLock { recorder in
            recorder.record(kind, at: now)
            guard broadcaster.hasSubscribers else { return }
            let event = SessionEvent(
                date: clock.wall(),
                processID: Self.processID,
                sessionID: sessionID,
                generation: generation,
                kind: kind
            )
            broadcaster.post(event)
        }
        broadcaster.deliver()
    }

    /// Calls `observer` with each later event, one at a time: it must not block.
    ///
    /// - Returns: The ID for ``removeObserver(_:)``.
    @discardableResult
    func addObserver(_ observer: @escaping @Sendable (SessionEvent) -> Void) -> Int {
        broadcaster.addObserver(observer)
    }

    /// Removes an observer.
    func removeObserver(_ id: Int) { broadcaster.removeObserver(id) }

    func statistics(over window: Duration?) -> SessionStatistics {
        let now = clock.now()
        return recorder.withLock { recorder in
            window.map { recorder.statistics(over: $0, at: now) } ?? recorder.statistics(at: now)
        }
    }

    /// Returns a stream of later events; a slow reader misses the oldest.
    func events() -> AsyncStream<SessionEvent> { broadcaster.stream() }
}
