// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetMetrics
import FreshetSystem
import FreshetWire
import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Delivers mails over several connections, scheduled by a `MailSchedule` and stored in the database.
///
/// Each connection has a thread, because libcurl and programs block.
package final class MailQueue: Service {
    /// The time for which a shutdown waits for mails that have not been tried; other mails stay in the database.
    static let stopTimeout = Duration.seconds(3)
    /// The interval between two log lines about refused mails, or about the relay.
    static let logInterval = Duration.seconds(60)

    /// The state of the queue, for the metrics.
    package struct Statistics: Sendable {
        package var waiting: Int
        package var deferred: Int
        package var inFlight: Int
        package var oldestAge: Duration
        package var isRelayAvailable: Bool
    }

    struct State: Sendable {
        var schedule: MailSchedule
        var mails: [Bits128: QueuedMail] = [:]
        /// Rows whose deletion failed.
        var undeleted: [Bits128] = []
        var threads = 0
        var idleThreads = 0
        var isClosed = false
        /// Whether deliveries and writes have stopped, so that the database may be closed.
        var isStopped = false
        /// The number of threads that have removed mails from the schedule, and not yet their rows.
        var removals = 0
        /// The time of this server's last heartbeat, on the monotonic clock.
        var leaseRenewedAt: Duration
        var heartbeats = HeartbeatMonitor()
        var turnedAway = LogThrottle()
        var relayFailures = LogThrottle()
    }

    private let backend: MailBackend
    private let format: MailFormat
    private let connections: Int
    package let store: MailStore?
    let metrics: ServerMetrics?
    let log: Logger
    let clock: @Sendable () -> Timestamp
    /// The monotonic clock.
    let uptime: @Sendable () -> Duration
    /// Wakes threads that wait for a change of the state; guards nothing.
    private let condition = NSCondition()
    let state: NIOLockedValueBox<State>

    init(
        _ backend: MailBackend,
        format: MailFormat,
        limits: MailLimits = MailLimits(),
        store: MailStore? = nil,
        metrics: ServerMetrics? = nil,
        log: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        uptime: @escaping @Sendable () -> Duration = ClockSource.system.monotonic
    ) {
        self.backend = backend
        self.format = format
        connections = limits.connections
        self.store = store
        self.metrics = metrics
        self.log = log
        self.clock = clock
        self.uptime = uptime
        state = NIOLockedValueBox(State(schedule: MailSchedule(limits), leaseRenewedAt: uptime()))
    }

    package var figures: Statistics {
        let now = uptime()
        return state.withLockedValue { state in
            Statistics(
                waiting: state.schedule.waiting,
                deferred: state.schedule.deferred,
                inFlight: state.schedule.inFlight,
                oldestAge: state.schedule.oldestAge(now: now),
                isRelayAvailable: state.schedule.isRelayAvailable
            )
        }
    }

    // MARK: - Acceptance

    /// Reserves room for a mail.
    ///
    /// - Throws: `tooManyRequests` if the client's share is in use, `unavailable` if the queue accepts no mail.
    func reserve(_ request: MailRequest) throws(APIError) -> MailReservation {
        let id = Bits128(UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        do throws(MailRefusal) { try reserve(request, id) } catch {
            turnAway(error)
            throw APIError(error)
        }
        let isStored = store != nil
        let queued = { @Sendable mail in
            QueuedMail(message: mail, source: request.source, origin: request.origin, isStored: isStored)
        }
        return MailReservation(
            store: { [store] mail, connection in try store?.insert(queued(mail), id: id, in: connection) },
            send: { [self] in enqueue(queued($0), id) },
            cancel: { [self] in state.withLockedValue { $0.schedule.cancel(id) } }
        )
    }

    /// Enqueues a mail that no response depends on, if there is room; never blocks.
    func send(_ mail: MailMessage, from source: SourceAddress?) {
        let id = Bits128(UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        let lifetime = mail.expiresAt - clock()
        let request = MailRequest(kind: mail.kind, recipient: mail.recipient, source: source, lifetime: lifetime)
        do throws(MailRefusal) { try reserve(request, id) } catch { return turnAway(error) }
        var queued = QueuedMail(message: mail, source: source)
        store?.insertLater(queued, id: id)
        queued.isStored = store != nil
        enqueue(queued, id)
    }

    private func reserve(_ request: MailRequest, _ id: Bits128) throws(MailRefusal) {
        let now = uptime()
        let entry = request.entry(id, expiresAt: now + request.lifetime)
        let result = state.withLockedValue { state -> Result<Void, MailRefusal> in
            guard !state.isClosed else { return .failure(.full) }
            do throws(MailRefusal) { return .success(try state.schedule.reserve(entry, now: now)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func enqueue(_ mail: QueuedMail, _ id: Bits128) {
        remove { state in
            state.mails[id] = mail
            return RemovedMails(dropped: state.schedule.enqueue(id).map { ($0, .superseded) })
        }
        wake()
    }

    /// Counts a refused mail, and logs refusals once a minute.
    private func turnAway(_ cause: MailRefusal) {
        metrics?.count("freshet_mail_turned_away_total", [("cause", cause.rawValue)])
        let count = state.withLockedValue { $0.turnedAway.count(now: uptime(), interval: Self.logInterval) }
        guard let count else { return }
        log.error("mail is turned away", metadata: ["cause": "\(cause.rawValue)", "times": "\(count)"])
    }

    // MARK: - Delivery

    /// Starts a thread if a connection is available for it, and wakes the waiting threads.
    func wake() {
        let mustStart = state.withLockedValue { state in
            guard !state.isStopped, state.idleThreads == 0, state.threads < connections else { return false }
            state.threads += 1
            return true
        }
        if mustStart { Thread.detachNewThread { [self] in work() } }
        broadcast()
    }

    private func broadcast() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    private func work() {
        while let (id, mail) = next() {
            // This thread is busy from now on, and more mails may be due.
            wake()
            deliver(mail, id)
            // Other mails may have become due with the end of this delivery.
            wake()
        }
        state.withLockedValue { $0.threads -= 1 }
        broadcast()
    }

    /// Waits for a mail that is due.
    ///
    /// - Returns: `nil` once the queue is stopped.
    private func next() -> (Bits128, QueuedMail)? {
        while true {
            let now = uptime()
            remove { state in
                RemovedMails(dropped: state.isStopped ? [] : state.schedule.expire(now: now).map { ($0, .expired) })
            }
            condition.lock()
            defer { condition.unlock() }
            let step = state.withLockedValue { state -> MailSchedule.Next? in
                if state.isStopped { return nil }
                if isLeaseLost(state, now) { return .wait(until: now + MailStore.interval) }
                return state.schedule.next(now: now)
            }
            switch step {
            case nil: return nil
            case .deliver(let id)?:
                if let mail = state.withLockedValue({ $0.mails[id] }) { return (id, mail) }
            case .wait(let until)?:
                state.withLockedValue { $0.idleThreads += 1 }
                defer { state.withLockedValue { $0.idleThreads -= 1 } }
                if let until {
                    let seconds = max(0.001, (until - now).inSeconds)
                    _ = condition.wait(until: Date(timeIntervalSinceNow: seconds))
                } else {
                    condition.wait()
                }
            }
        }
    }

    /// Whether other servers may have taken this server's mails.
    private func isLeaseLost(_ state: State, _ now: Duration) -> Bool {
        store?.isShared == true && now - state.leaseRenewedAt > MailStore.leaseDuration
    }

    private func deliver(_ mail: QueuedMail, _ id: Bits128) {
        let message = mail.message
        var metadata = Self.metadata(message)
        if message.isForNobody {
            complete(id, .discarded)
            return
        }
        guard let outgoing = format.write(message, at: clock()) else {
            log.error("mail refused: its address cannot be written", metadata: metadata)
            complete(id, .discarded)
            return count([.malformed])
        }
        do throws(MailBackend.Fault) {
            try backend.deliver(outgoing)
            log.info("mail sent", metadata: metadata)
            metrics?.count("freshet_mail_sent_total", [("kind", message.kind.isCode ? "code" : "notice")])
            complete(id, .delivered)
        } catch {
            metadata["fault"] = "\(error.reason)"
            let outcome = error.outcome
            let isKept = complete(id, outcome)
            switch outcome {
            case .relayUnavailable, .relayRefused: logRelayFailure(error.reason, metadata)
            case .deferred where isKept: log.warning("mail delayed", metadata: metadata)
            case .deferred, .refused, .delivered, .discarded: log.error("mail failed", metadata: metadata)
            }
            metrics?.count("freshet_mail_deferrals_total", by: isKept ? 1 : 0)
        }
    }

    /// Logs a failure of the relay: each one once a minute.
    private func logRelayFailure(_ reason: String, _ metadata: Logger.Metadata) {
        let count = state.withLockedValue {
            $0.relayFailures.count(now: uptime(), interval: Self.logInterval, cause: reason)
        }
        guard let count else { return }
        var metadata = metadata
        metadata["times"] = "\(count)"
        log.error("the mail relay takes no mail", metadata: metadata)
    }

    @discardableResult
    private func complete(_ id: Bits128, _ outcome: MailOutcome) -> Bool {
        var isKept = false
        remove { state in
            let result = state.schedule.finish(id, outcome, now: uptime())
            isKept = result.isKept
            let isDelivered = !isKept && !result.dropped.contains { $0.id == id }
            return RemovedMails(dropped: result.dropped, delivered: isDelivered ? [id] : [])
        }
        return isKept
    }

    // MARK: - Removal

    /// The mails that a change has removed from the schedule.
    struct RemovedMails {
        var dropped: [(id: Bits128, cause: MailDropCause)] = []
        var delivered: [Bits128] = []

        var ids: [Bits128] { dropped.map(\.id) + delivered }
    }

    /// Changes the schedule, and removes the mails that are no longer in it from memory and from the database.
    ///
    /// A queue that stops meanwhile waits for the removal: otherwise the row of a delivered mail would stay, and the next
    /// server would deliver the mail again. Once the queue has stopped, rows stay, as another server may have taken them.
    func remove(_ change: (inout State) -> RemovedMails) {
        let (removed, mayWrite) = state.withLockedValue { state in
            let removed = change(&state)
            let mayWrite = !removed.ids.isEmpty && !state.isStopped
            if mayWrite { state.removals += 1 }
            return (removed, mayWrite)
        }
        recordDrops(removed.dropped)
        guard mayWrite else { return }
        let stored = state.withLockedValue { state in
            removed.ids.filter { state.mails.removeValue(forKey: $0)?.isStored == true }
        }
        if let store, !stored.isEmpty { delete(stored, store) }
        state.withLockedValue { $0.removals -= 1 }
        broadcast()
    }

    /// Counts and logs mails that are not delivered.
    private func recordDrops(_ mails: [(id: Bits128, cause: MailDropCause)]) {
        count(mails.map(\.cause))
        for (id, cause) in mails where cause == .expired || cause == .noRoom {
            guard let mail = state.withLockedValue({ $0.mails[id] }) else { continue }
            var metadata = Self.metadata(mail.message)
            metadata["cause"] = "\(cause.rawValue)"
            log.error("mail given up", metadata: metadata)
        }
    }

    private func count(_ causes: [MailDropCause]) {
        for cause in causes { metrics?.count("freshet_mail_dropped_total", [("cause", cause.rawValue)]) }
    }

    // MARK: - Stop

    /// Closes the queue, and waits until every mail was tried, at most for ``stopTimeout``.
    func close() async {
        await withCheckedContinuation { continuation in
            // Closing blocks, so it must not run on one of the few threads of the concurrency runtime.
            Thread.detachNewThread { [self] in
                closeNow()
                continuation.resume()
            }
        }
    }

    private func closeNow() {
        state.withLockedValue { $0.isClosed = true }
        wake()
        let end = Date(timeIntervalSinceNow: Self.stopTimeout.inSeconds)
        condition.lock()
        while state.withLockedValue({ !$0.schedule.isDrained && $0.schedule.isRelayAvailable }) {
            guard condition.wait(until: end) else { break }
        }
        state.withLockedValue { $0.isStopped = true }
        while state.withLockedValue({ $0.removals > 0 }) { condition.wait() }
        condition.unlock()
        let left = state.withLockedValue { state in
            state.mails.values.reduce(into: (stored: 0, lost: 0)) { left, mail in
                if mail.isStored { left.stored += 1 } else { left.lost += 1 }
            }
        }
        broadcast()
        store?.unregister()
        if left.stored > 0 { log.notice("mails stay in the queue", metadata: ["count": "\(left.stored)"]) }
        if left.lost > 0 { log.warning("mails lost", metadata: ["count": "\(left.lost)"]) }
    }

    /// Returns a mail's log metadata: its kind, and the recipient's domain and first letter.
    static func metadata(_ mail: MailMessage) -> Logger.Metadata {
        // A stored address may have any form.
        let scalars = mail.recipient.text.unicodeScalars
        let domain = scalars.lastIndex(of: "@").map { String(scalars[scalars.index(after: $0)...]) } ?? ""
        return ["kind": "\(mail.kind.rawValue)", "to": "\(String(scalars.prefix(1)))•••@\(domain)"]
    }
}
