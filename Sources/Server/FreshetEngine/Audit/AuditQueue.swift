// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A bounded queue of events to write.
///
/// When it is full, ordinary refreshes are dropped first, and endings are never dropped. The number of endings is
/// bounded: each was a durable commit, and a session ends once.
package struct AuditQueue: Sendable {
    /// The numbers of dropped events, by kind.
    package struct Dropped: Equatable, Sendable {
        package var plain = 0
        package var others = 0

        package init(plain: Int = 0, others: Int = 0) {
            self.plain = plain
            self.others = others
        }
    }

    package let capacity: Int
    package private(set) var dropped = Dropped()
    private var plain: [AuditEvent] = []
    private var others: [AuditEvent] = []

    package init(capacity: Int) {
        self.capacity = capacity
    }

    package var count: Int { plain.count + others.count }

    package mutating func add(_ event: AuditEvent) {
        guard count >= capacity else { return put(event) }
        if !event.isPlain, plain.popLast() != nil {
            dropped.plain += 1
            put(event)
        } else if event.isEnding {
            put(event)
        } else if event.isPlain {
            dropped.plain += 1
        } else {
            dropped.others += 1
        }
    }

    /// Removes events to write, the most important first.
    package mutating func take(_ limit: Int) -> [AuditEvent] {
        let important = others.prefix(limit)
        others.removeFirst(important.count)
        let rest = plain.prefix(limit - important.count)
        plain.removeFirst(rest.count)
        return Array(important) + rest
    }

    /// Enqueues again events that could not be written.
    package mutating func restore(_ events: [AuditEvent]) { for event in events { add(event) } }

    private mutating func put(_ event: AuditEvent) {
        if event.isPlain { plain.append(event) } else { others.append(event) }
    }
}
