// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

extension MailSchedule {
    /// The result of an attempt, for its mail and for other mails.
    package struct DeliveryResult: Equatable, Sendable {
        /// Mails that were removed without being delivered.
        package var dropped: [(id: Bits128, cause: MailDropCause)] = []
        /// Whether the mail stays queued for a retry.
        package var isKept = false

        package init(dropped: [(id: Bits128, cause: MailDropCause)] = [], isKept: Bool = false) {
            self.dropped = dropped
            self.isKept = isKept
        }

        package static func == (left: DeliveryResult, right: DeliveryResult) -> Bool {
            left.isKept == right.isKept && left.dropped.map(\.id) == right.dropped.map(\.id)
                && left.dropped.map(\.cause) == right.dropped.map(\.cause)
        }
    }

    /// The pauses after a mail's first deferral, its second, and so on; the last one repeats.
    static let delays: [Duration] = [5, 15, 45, 120, 300, 600, 1200, 1800].map { .seconds($0) }

    /// Chooses the next mail, and marks it as being delivered.
    package mutating func next(now: Duration) -> Next {
        guard counts.inFlight < limits.connections else { return .wait(until: nil) }
        if relay.condition != .available {
            // One attempt at a time tests whether the relay accepts mail again.
            if isProbing { return .wait(until: nil) }
            if now < relay.retryAt { return .wait(until: relay.retryAt) }
        }
        guard let item = candidate(now: now) else { return .wait(until: nextEvent(after: now)) }
        if relay.condition != .available { isProbing = true }
        takeTurn(item)
        update(item.entry.id) { $0.state = .inFlight }
        return .deliver(item.entry.id)
    }

    /// Applies the result of an attempt.
    package mutating func finish(_ id: Bits128, _ outcome: MailOutcome, now: Duration) -> DeliveryResult {
        guard let item = items[id], item.state == .inFlight else { return DeliveryResult() }
        switch outcome {
        case .delivered:
            recover()
            remove(id)
            return DeliveryResult()
        case .discarded:
            isProbing = false
            remove(id)
            return DeliveryResult()
        case .refused:
            recover()
            remove(id)
            return DeliveryResult(dropped: [(id, .refused)])
        case .deferred:
            recover()
            return postpone(item, now: now)
        case .relayUnavailable, .relayRefused:
            isProbing = false
            relay.fail(isRefusal: outcome == .relayRefused, now: now)
            // The mail did not cause the failure, so it stays queued; others of its source and domain are tried first.
            update(id) { item in
                item.state = item.isRetry ? .deferred(until: now) : .waiting
                item.relayFailures += 1
            }
            return DeliveryResult(isKept: true)
        }
    }

    private mutating func recover() {
        isProbing = false
        relay.succeed()
    }

    /// Moves a mail to the deferred ones, whose number is limited in total and by domain.
    private mutating func postpone(_ item: Item, now: Duration) -> DeliveryResult {
        let id = item.entry.id
        let dueAt = now + Self.delays[min(item.deferrals, Self.delays.count - 1)]
        guard dueAt < item.entry.expiresAt else {
            remove(id)
            return DeliveryResult(dropped: [(id, .expired)])
        }
        // A newer code was queued in the meantime.
        if let topic = item.entry.topic,
            items.values.contains(where: { $0.entry.topic == topic && $0.number > item.number && $0.state != .reserved }
            )
        {
            remove(id)
            return DeliveryResult(dropped: [(id, .superseded)])
        }
        update(id) { item in
            item.state = .deferred(until: dueAt)
            item.isRetry = true
            item.deferrals += 1
        }
        let isDomainFull = counts.deferredByDomain[item.entry.domain, default: 0] > limits.perDomain
        guard isDomainFull || counts.deferred > limits.capacity,
            let victim = evicted(from: isDomainFull ? item.entry.domain : nil)
        else { return DeliveryResult(isKept: true) }
        remove(victim)
        return DeliveryResult(dropped: [(victim, .noRoom)], isKept: victim != id)
    }

    /// Returns the deferred mail to remove first.
    ///
    /// It is the oldest one of the source with the most deferred mails; notices are removed before codes.
    private func evicted(from domain: String?) -> Bits128? {
        let deferred = items.values.filter { item in
            item.isRetry && item.state != .inFlight && (domain == nil || item.entry.domain == domain)
        }
        let counts = deferred.reduce(into: [MailEntry.Source: Int]()) { $0[$1.entry.source, default: 0] += 1 }
        return deferred.max { left, right in
            let (lefts, rights) = (counts[left.entry.source] ?? 0, counts[right.entry.source] ?? 0)
            return (lefts, left.entry.priority.rawValue, right.number) < (
                rights, right.entry.priority.rawValue, left.number
            )
        }?.entry.id
    }

    // MARK: - Choice

    private func candidate(now: Duration) -> Item? {
        // Retries use one connection, regardless of the amount of new mail.
        if limits.connections > 1, counts.retriesInFlight == 0, let retry = retry(now: now) { return retry }
        if let fresh = best({ $0.state == .waiting }) { return fresh }
        return counts.retriesInFlight < limits.connectionShare ? retry(now: now) : nil
    }

    private func retry(now: Duration) -> Item? {
        best { item in
            guard case .deferred(let until) = item.state else { return false }
            return until <= now
        }
    }

    /// Returns the first mail in the order of sending that meets a condition and for which a connection may be used.
    private func best(_ isWanted: (Item) -> Bool) -> Item? {
        var best: Item?
        for item in items.values where isWanted(item) && hasConnection(item.entry) {
            if let known = best, !precedes(item, known) { continue }
            best = item
        }
        return best
    }

    /// Whether a connection may be used for a mail: one slow domain or source must not use all connections.
    private func hasConnection(_ entry: MailEntry) -> Bool {
        guard counts.inFlightByDomain[entry.domain, default: 0] < limits.connectionShare else { return false }
        if case .unattributed = entry.source { return true }
        return counts.inFlightBySource[entry.source, default: 0] < limits.connectionShare
    }

    private func precedes(_ left: Item, _ right: Item) -> Bool {
        func turns(_ item: Item) -> (Int, UInt64, UInt64, Int) {
            let entry = item.entry
            return (
                entry.priority.rawValue, sourceTurns[entry.source] ?? 0, domainTurns[entry.domain] ?? 0,
                item.relayFailures
            )
        }
        let (lefts, rights) = (turns(left), turns(right))
        return lefts == rights ? left.number > right.number : lefts < rights
    }

    /// Returns the next time at which a deferred mail is due or a mail expires.
    private func nextEvent(after now: Duration) -> Duration? {
        var first: Duration?
        for item in items.values {
            var times: [Duration] = []
            switch item.state {
            case .deferred(let until): times = [until, item.entry.expiresAt]
            case .waiting: times = [item.entry.expiresAt]
            case .reserved, .inFlight: continue
            }
            for time in times where time > now { first = min(first ?? time, time) }
        }
        return first
    }
}
