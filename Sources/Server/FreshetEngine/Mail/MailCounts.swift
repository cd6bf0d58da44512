// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The counts that admission and dispatch use, updated with each change so that neither scans the queue.
struct MailCounts: Sendable {
    private(set) var fresh = 0
    private(set) var freshNotifications = 0
    private(set) var freshInFlight = 0
    private(set) var deferred = 0
    private(set) var retriesInFlight = 0
    private(set) var bySource: [MailEntry.Source: Int] = [:]
    private(set) var byDomain: [String: Int] = [:]
    private(set) var freshByDomain: [String: Int] = [:]
    private(set) var deferredByDomain: [String: Int] = [:]
    private(set) var inFlightBySource: [MailEntry.Source: Int] = [:]
    private(set) var inFlightByDomain: [String: Int] = [:]

    var inFlight: Int { freshInFlight + retriesInFlight }

    /// Adds or removes the charge of a removed mail, which still counts towards its source's share.
    mutating func charge(_ source: MailEntry.Source, _ step: Int) { Self.count(source, step, &bySource) }

    mutating func add(_ item: MailSchedule.Item) { count(item, 1) }
    mutating func subtract(_ item: MailSchedule.Item) { count(item, -1) }

    private mutating func count(_ item: MailSchedule.Item, _ step: Int) {
        let (source, domain) = (item.entry.source, item.entry.domain)
        Self.count(source, step, &bySource)
        Self.count(domain, step, &byDomain)
        if item.isRetry {
            deferred += step
            Self.count(domain, step, &deferredByDomain)
        } else {
            fresh += step
            if item.entry.priority == .notification { freshNotifications += step }
            Self.count(domain, step, &freshByDomain)
        }
        guard item.state == .inFlight else { return }
        if item.isRetry { retriesInFlight += step } else { freshInFlight += step }
        Self.count(source, step, &inFlightBySource)
        Self.count(domain, step, &inFlightByDomain)
    }

    private static func count<Key: Hashable>(_ key: Key, _ step: Int, _ counts: inout [Key: Int]) {
        let count = counts[key, default: 0] + step
        counts[key] = count == 0 ? nil : count
    }
}
