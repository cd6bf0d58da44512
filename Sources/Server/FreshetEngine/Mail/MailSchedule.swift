// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// Decides which mails are accepted and which is delivered next.
///
/// Mails that wait for their first attempt and mails that the relay deferred have separate capacity: deferred mail
/// never displaces new mail. Sources take turns, then recipient domains; codes go before notices, and the newest code
/// goes first. All times are readings of one monotonic clock.
package struct MailSchedule: Sendable {
    /// The next step of the mail queue.
    package enum Next: Equatable, Sendable {
        case deliver(Bits128)
        /// Wait until this time; with `nil`, until a change.
        case wait(until: Duration?)
    }

    struct Item: Sendable {
        enum State: Equatable, Sendable {
            /// The mail has a reserved place, and must not be delivered yet.
            case reserved
            case waiting
            case deferred(until: Duration)
            case inFlight
        }

        var entry: MailEntry
        var state = State.reserved
        /// Whether the mail was deferred before, and is counted with the deferred mails.
        var isRetry = false
        var deferrals = 0
        var relayFailures = 0
        var acceptedAt: Duration
        /// The mail's number; later mails have a higher one.
        var number: UInt64
    }

    package let limits: MailLimits
    var items: [Bits128: Item] = [:]
    var counts = MailCounts()
    var relay = MailRelayState()
    var isProbing = false
    /// The last turn of each source and domain that has mail.
    var sourceTurns: [MailEntry.Source: UInt64] = [:]
    var domainTurns: [String: UInt64] = [:]
    private var charges = MailShareCharges()
    private var number: UInt64 = 0

    package init(_ limits: MailLimits) {
        self.limits = limits
    }

    // MARK: - Admission

    /// Reserves a place for a mail, before the work that creates it.
    package mutating func reserve(_ entry: MailEntry, now: Duration) throws(MailRefusal) {
        for source in charges.expire(now: now) { release(source) }
        if relay.condition == .refusing, now < relay.retryAt || !items.isEmpty { throw .relay }
        if case .network = entry.source, counts.bySource[entry.source, default: 0] >= limits.perSource { throw .source }
        guard counts.fresh < limits.capacity else { throw .full }
        if entry.priority == .notification, counts.freshNotifications >= limits.notificationCapacity { throw .full }
        guard counts.freshByDomain[entry.domain, default: 0] < limits.perDomain else { throw .domain }
        insert(entry, .reserved, now: now)
    }

    /// Releases the reserved place.
    package mutating func cancel(_ id: Bits128) { remove(id) }

    /// Makes a mail with a reserved place ready for delivery.
    ///
    /// - Returns: The mails that it supersedes; they are removed.
    package mutating func enqueue(_ id: Bits128) -> [Bits128] {
        guard let item = items[id], item.state == .reserved else { return [] }
        update(id) { $0.state = .waiting }
        guard let topic = item.entry.topic else { return [] }
        let older = items.values.filter { other in
            other.entry.topic == topic && other.number < item.number && other.state != .inFlight
                && other.state != .reserved
        }
        older.forEach { remove($0.entry.id) }
        return older.map(\.entry.id)
    }

    /// Whether there is a place for a stored mail of an earlier run.
    package var canRestore: Bool { counts.deferred < limits.capacity }

    /// Adds a stored mail of an earlier run; it was accepted before and counts as deferred.
    ///
    /// - Returns: The superseded mails, which may include this mail; they are removed.
    package mutating func restore(_ entry: MailEntry, now: Duration) -> [Bits128] {
        guard items[entry.id] == nil else { return [] }
        let rivals = items.values.filter {
            entry.topic != nil && $0.entry.topic == entry.topic && $0.state != .inFlight
        }
        if rivals.contains(where: { $0.entry.expiresAt >= entry.expiresAt }) { return [entry.id] }
        rivals.forEach { remove($0.entry.id) }
        insert(entry, .deferred(until: now), isRetry: true, now: now)
        return rivals.map(\.entry.id)
    }

    /// Removes expired mails.
    package mutating func expire(now: Duration) -> [Bits128] {
        let expired = items.values.filter { item in
            item.entry.expiresAt <= now && item.state != .inFlight && item.state != .reserved
        }
        expired.forEach { remove($0.entry.id) }
        return expired.map(\.entry.id)
    }

    /// Removes mails that another server delivers, unless they are being delivered here.
    package mutating func retainOnly(_ isOurs: (Bits128) -> Bool) -> [Bits128] {
        let others = items.values.filter { item in
            item.state != .inFlight && item.state != .reserved && !isOurs(item.entry.id)
        }
        others.forEach { remove($0.entry.id) }
        return others.map(\.entry.id)
    }

    // MARK: - Figures

    package var waiting: Int { counts.fresh - counts.freshInFlight }
    package var deferred: Int { counts.deferred - counts.retriesInFlight }
    package var inFlight: Int { counts.inFlight }
    package var isRelayAvailable: Bool { relay.condition == .available }
    package func contains(_ id: Bits128) -> Bool { items[id] != nil }

    /// Whether no mail waits for its first attempt or is being delivered.
    package var isDrained: Bool { counts.fresh == 0 && counts.inFlight == 0 }

    /// The age of the oldest waiting mail.
    package func oldestAge(now: Duration) -> Duration {
        items.values.map { now - $0.acceptedAt }.max() ?? .zero
    }

    // MARK: - Bookkeeping

    private mutating func insert(_ entry: MailEntry, _ state: Item.State, isRetry: Bool = false, now: Duration) {
        number += 1
        let item = Item(entry: entry, state: state, isRetry: isRetry, acceptedAt: now, number: number)
        items[entry.id] = item
        counts.add(item)
    }

    mutating func remove(_ id: Bits128) {
        guard let item = items.removeValue(forKey: id) else { return }
        counts.subtract(item)
        if item.entry.keepsShare, item.state != .reserved, case .network = item.entry.source {
            counts.charge(item.entry.source, 1)
            if let oldest = charges.add(item.entry.source, until: item.entry.expiresAt) { release(oldest) }
        }
        if counts.bySource[item.entry.source] == nil { sourceTurns[item.entry.source] = nil }
        if counts.byDomain[item.entry.domain] == nil { domainTurns[item.entry.domain] = nil }
    }

    private mutating func release(_ source: MailEntry.Source) {
        counts.charge(source, -1)
        if counts.bySource[source] == nil { sourceTurns[source] = nil }
    }

    mutating func update(_ id: Bits128, _ change: (inout Item) -> Void) {
        guard var item = items[id] else { return }
        counts.subtract(item)
        change(&item)
        counts.add(item)
        items[id] = item
    }

    /// Records the turn of a source and a domain.
    mutating func takeTurn(_ item: Item) {
        number += 1
        sourceTurns[item.entry.source] = number
        domainTurns[item.entry.domain] = number
    }
}
