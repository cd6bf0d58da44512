// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetKit

/// The counts and events of an outbox, readable without an actor hop.
final class OutboxBroadcaster: Sendable {
    private let content = Locked(OutboxCounts())
    private let events = Broadcaster<OutboxEvent>(bufferSize: 1_024)

    var counts: OutboxCounts { content.withLock { $0 } }

    func publish(_ counts: OutboxCounts) { content.withLock { $0 = counts } }

    func emit(_ kind: OutboxEvent.Kind, _ entry: OutboxEntry? = nil) {
        events.send(OutboxEvent(id: entry?.id, lane: entry?.lane, kind: kind))
    }

    /// Calls `observer` with each later event, one at a time: it must not block.
    func observe(_ observer: @escaping @Sendable (OutboxEvent) -> Void) { events.addObserver(observer) }

    /// Returns a stream of all later events.
    func stream() -> AsyncStream<OutboxEvent> { events.stream() }
}
