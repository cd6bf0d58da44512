// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetEngine
import FreshetWire
package import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Stores audit events in batches from a bounded queue, so that no request waits for the write.
package final class AuditTrail: Service {
    /// The number of events per transaction; on SQLite, refreshes wait while it runs.
    static let batch = 50
    /// The time for which an event waits for others of its batch.
    static let pause = Duration.milliseconds(250)

    private let database: any ServerDatabase
    private let log: Logger
    private let queue: NIOLockedValueBox<AuditQueue>
    /// Held during a write, as its events are neither in the queue nor in the database yet.
    private let writing = AsyncMutex()
    private let signal = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init(database: any ServerDatabase, capacity: Int, log: Logger) {
        self.database = database
        self.log = log
        queue = NIOLockedValueBox(AuditQueue(capacity: capacity))
    }

    /// The number of queued events, and of those dropped since the start.
    package var figures: (waiting: Int, dropped: AuditQueue.Dropped) {
        queue.withLockedValue { ($0.count, $0.dropped) }
    }

    /// Queues the audit events of a server event; never blocks.
    package func record(_ event: ServerEvent, clock: () -> Timestamp) {
        let events = event.audited(clock)
        guard !events.isEmpty else { return }
        queue.withLockedValue { queue in for event in events { queue.add(event) } }
        signal.continuation.yield()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            for await _ in signal.stream {
                try? await Task.sleep(for: Self.pause)
                await write()
            }
        }
    }

    /// The number of writes that wait for another one to end.
    var waitingWrites: Int { writing.waiterCount }

    /// Writes all queued events.
    ///
    /// When this returns, every event that was recorded before the call is in the database, also one that another call
    /// has taken out of the queue, unless the database cannot write.
    package func write() async { await writing.withLock { await writeQueue() } }

    private func writeQueue() async {
        while true {
            let events = queue.withLockedValue { $0.take(Self.batch) }
            if events.isEmpty { return }
            do {
                try await database.backgroundWrite { database in
                    for event in events { try AuditTable.insert(event, in: database) }
                }
            } catch {
                queue.withLockedValue { $0.restore(events) }
                // A server that shuts down writes the remaining events at the end.
                if !(error is CancellationError) { log.error("the audit trail cannot be written", error: error) }
                return
            }
        }
    }
}

extension ServerEvent {
    /// The audit events of this event.
    func audited(_ clock: () -> Timestamp) -> [AuditEvent] {
        switch self {
        case .revoked: return []
        case .login(let session):
            var event = AuditEvent(at: session.createdAt, kind: .login)
            event.user = session.user
            event.session = session.id
            event.client = session.device.client
            return [event.withRequestSource]
        case .loginRefused(let refusal):
            var event = AuditEvent(at: clock(), kind: .loginRefused)
            event.user = refusal.user
            event.outcome = refusal.method.rawValue
            return [event.withRequestSource]
        case .operatorActed(let kind): return [AuditEvent(at: clock(), kind: kind).withRequestSource]
        case .presented(let presentation): return presentation.audited.map { [$0.withRequestSource] } ?? []
        case .ended(let ids, let user, let reason, let at, let by):
            // The other process, or the operator's action, records these events itself.
            if by == .anotherProcess { return [] }
            return ids.map { id in
                var event = AuditEvent(at: at, kind: .ended)
                event.user = user
                event.session = id
                event.reason = reason
                if case .session(let other) = by, other != id { event.by = other }
                return event.withRequestSource
            }
        }
    }
}

extension ServerEvent.Presentation {
    /// The audit event of the presentation; `nil` if another event covers it.
    fileprivate var audited: AuditEvent? {
        // An ordinary refresh is recorded in the row's streak, and a repeatedly presented superseded token by its first
        // event.
        if isInRun || wasKnownStale { return nil }
        // A confirmation is covered by its refresh.
        let isNotable = hasEnded || lostCommits > 0
        if call == "confirm", outcome == "noted", !isNotable { return nil }
        var event = AuditEvent(at: at, kind: AuditEvent.Kind(rawValue: call) ?? .unknown)
        event.user = session.user
        event.session = session.id
        event.outcome = outcome
        event.isNotable = isNotable
        event.generation = generation
        event.client = session.device.client
        return event
    }
}

extension AuditEvent {
    /// The event with the source address of the current request.
    fileprivate var withRequestSource: AuditEvent {
        var event = self
        event.source = RequestTrace.current?.source?.description
        return event
    }
}
