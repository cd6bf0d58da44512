// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// The events of a run and the rules that were broken in it.
final class EventJournal: Sendable {
    private static let printedEvents = 400

    private struct Content {
        var events: [String] = []
        var violations: [String] = []
        var counts: [String: Int] = [:]
        var open: [String: String] = [:]
    }

    private let content = Locked(Content())
    private let start = ContinuousClock.now

    /// The rules that were broken, in the order in which that was noticed.
    var violations: [String] { content.withLock { $0.violations } }

    /// How often each kind of event happened.
    var counts: [String: Int] { content.withLock { $0.counts } }

    func note(_ event: String) {
        let time = (ContinuousClock.now - start) / .milliseconds(1)
        content.withLock { $0.events.append("\(Int(time)) ms  \(event)") }
    }

    /// The operations that have not ended.
    var openOperations: [String] { content.withLock { $0.open.map { "\($0.key) \($0.value)" }.sorted() } }

    func begin(_ label: String, _ operation: String) { content.withLock { $0.open[label] = operation } }

    /// Adds to what is known of an operation that is under way.
    func update(_ label: String, _ text: String) {
        content.withLock { content in content.open[label] = content.open[label].map { "\($0), \(text)" } }
    }

    func end(_ label: String) { content.withLock { $0.open[label] = nil } }

    func end(_ label: String, _ operation: String, _ result: String) {
        content.withLock { $0.open[label] = nil }
        note("\(label) \(operation): \(result)")
        count(operation)
    }

    func count(_ kind: String) { content.withLock { $0.counts[kind, default: 0] += 1 } }

    /// Records a broken rule; the event stays where it happened in the history.
    func violate(_ rule: String) {
        note("VIOLATION \(rule)")
        content.withLock { $0.violations.append(rule) }
    }

    /// The broken rules, and what happened around the first of them.
    func report(seed: UInt64) -> String {
        content.withLock { content in
            let first = content.events.firstIndex { $0.contains("VIOLATION") } ?? content.events.count
            let history = content.events[max(0, first - Self.printedEvents)..<min(content.events.count, first + 40)]
            return """
                \(content.violations.count) rules broken, the first ones:
                \(content.violations.prefix(8).joined(separator: "\n"))
                Repeat with FRESHET_STRESS_SEED=\(seed)
                History up to the first:
                \(history.joined(separator: "\n"))
                """
        }
    }
}
