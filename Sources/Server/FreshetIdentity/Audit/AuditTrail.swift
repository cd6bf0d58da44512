// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetEngine
import FreshetWire
package import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Keeps what happened: events wait in a bounded queue and are written in batches, so that no request waits for them.
package final class AuditTrail: Service {
    /// So many events are one transaction: while it runs, refreshes wait on SQLite.
    static let batch = 50
    /// How long an event waits for others.
    package static let pause = Duration.milliseconds(250)

    private let database: any ServerDatabase
    private let log: Logger
    private let queue: NIOLockedValueBox<AuditQueue>
    private let signal = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init(database: any ServerDatabase, capacity: Int, log: Logger) {
        self.database = database
        self.log = log
        queue = NIOLockedValueBox(AuditQueue(capacity: capacity))
    }

    /// How many events wait, and how many were dropped since the start.
    package var figures: (waiting: Int, dropped: AuditQueue.Dropped) {
        queue.withLockedValue { ($0.count, $0.dropped) }
    }

    /// Takes note of what was told; never waits.
    package func record(_ event: ServerEvent, clock: () -> Timestamp) {
        let events = event.audited(clock)
        guard !events.isEmpty else { return }
        queue.withLockedValue { queue in for event in events { queue.add(event) } }
        signal.continuation.yield()
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            for await _ in signal.stream {
                try? await Task.sleep(for: Self.pause)
                await write()
            }
        }
    }

    /// Writes all that waits.
    package func write() async {
        while true {
            let events = queue.withLockedValue { $0.take(Self.batch) }
            if events.isEmpty { return }
            do {
                try await database.backgroundWrite { database in
                    for event in events { try AuditTable.insert(event, in: database) }
                }
            } catch {
                queue.withLockedValue { $0.restore(events) }
                // A server that stops writes the rest at its end.
                if !(error is CancellationError) { log.error("the audit trail cannot be written", error: error) }
                return
            }
        }
    }
}

extension ServerEvent {
    /// What the audit trail keeps of it.
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
            // Another process writes its own.
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
    /// What the audit trail keeps of it by itself.
    fileprivate var audited: AuditEvent? {
        // A run has it, or the first of a row says all of a client that presents one stale token for ever.
        if isInRun || wasKnownStale { return nil }
        // A confirmation goes with its refresh.
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
    /// With the address that the request comes from which is being answered.
    fileprivate var withRequestSource: AuditEvent {
        var event = self
        event.source = RequestTrace.current?.source?.description
        return event
    }
}
