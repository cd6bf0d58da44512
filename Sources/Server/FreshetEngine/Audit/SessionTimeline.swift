// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// A session's history for operators: its events in order, and the reason that it ended.
package struct SessionTimeline: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package var at: Timestamp
        package var text: String
        /// The source address, if it is known.
        package var source: String?

        package init(at: Timestamp, text: String, source: String? = nil) {
            self.at = at
            self.text = text
            self.source = source
        }
    }

    /// The reason of the end; `nil` while the session is active.
    package let end: EndReason?
    /// The time of the end.
    package let endedAt: Timestamp?
    /// A sentence for operators that explains why the session ended, or says that it is active.
    package let why: String
    package let entries: [Entry]

    /// Creates the timeline of a session.
    ///
    /// - Parameters:
    ///   - row: The session, with its last run of refreshes.
    ///   - events: The session's audit records, in any order.
    ///   - now: The current time, to detect an expiry, which is not stored.
    package init(_ row: SessionRow, events: [AuditEvent], now: Timestamp) {
        let run = row.run.map { [AuditEvent($0, of: row)] } ?? []
        let events = (events + run).sorted(by: AuditEvent.isInOrder)
        let end = row.endReason(at: now)
        self.end = end
        endedAt = row.ending?.at ?? end.map { _ in row.end }
        var entries = Self.entries(of: events)
        if !events.contains(where: { $0.kind == .login }) {
            entries.insert(Entry(at: row.createdAt, text: "signed in"), at: 0)
        }
        if let end, let at = endedAt, !events.contains(where: { $0.kind == .ended }) {
            entries.append(Entry(at: at, text: Self.phrase(forEnd: end)))
        }
        self.entries = entries
        why = end.map { Self.phrase(for: $0, row, events) } ?? "The session is alive."
    }

    // MARK: - Why

    private static func phrase(for reason: EndReason, _ row: SessionRow, _ events: [AuditEvent]) -> String {
        let ending = events.last { $0.kind == .ended }
        return reason.details.operatorSentence.text { detail in
            switch detail {
            case .initiator: ending?.by.map { "session \($0)" }
            case .operatorReason: OperatorReason(outcome: ending?.outcome)?.phrase
            case .generation: generation(events)
            case .sources: sources(events)
            case .idleTime: days(row.idleExpiry - row.lastUsedAt)
            case .age: days(row.absoluteExpiry - row.createdAt)
            }
        }
    }

    /// The generation of the token whose use revealed a theft.
    private static func generation(_ events: [AuditEvent]) -> String? {
        let seen = events.last { $0.outcome.flatMap(KnownEndReason.init)?.details.cause == .theft }?.generation
        return seen.map(String.init)
    }

    /// Returns the addresses from which the session's tokens were recently presented, if there are several.
    ///
    /// One of them may be the thief's.
    private static func sources(_ events: [AuditEvent]) -> String? {
        var seen: [String] = []
        for event in events.reversed() where event.kind != .ended && event.isAuthenticated {
            if let source = event.source, !seen.contains(source) { seen.append(source) }
            if seen.count == 3 { break }
        }
        return seen.count > 1 ? seen.joined(separator: ", ") : nil
    }

    private static func days(_ span: Duration) -> String {
        let seconds = span.wholeSeconds
        return seconds >= 2 * 86_400
            ? "\(seconds / 86_400) days" : seconds >= 7200 ? "\(seconds / 3600) hours" : "\(seconds) seconds"
    }

    // MARK: - Entries

    /// A run of plain refreshes from one place is one entry.
    private static func entries(of events: [AuditEvent]) -> [Entry] {
        var entries: [Entry] = []
        var run: (count: Int, last: AuditEvent)?
        func close() {
            guard let (count, last) = run else { return }
            let times = count == 1 ? "refreshed" : "refreshed \(count) times"
            let generation = last.generation.map { ", last with generation \($0)" } ?? ""
            entries.append(Entry(at: last.at, text: times + generation, source: last.source))
            run = nil
        }
        for event in events {
            // A confirmation adds nothing to the entry of its refresh.
            if event.kind == .confirm && event.isPlain && event.outcome == "noted" { continue }
            if event.isRoutineRefresh {
                if let current = run, current.last.source != event.source { close() }
                run = ((run?.count ?? 0) + event.times, event)
                continue
            }
            close()
            entries.append(Entry(at: event.at, text: text(of: event), source: event.source))
        }
        close()
        return entries
    }

    /// The text of a single event.
    package static func entry(_ event: AuditEvent) -> Entry {
        Entry(at: event.at, text: text(of: event), source: event.source)
    }

    private static func text(of event: AuditEvent) -> String {
        let generation = event.generation.map { " with generation \($0)" } ?? ""
        let outcome = event.outcome.map { ": \(phrase(for: $0))" } ?? ""
        switch event.kind {
        case .login: return "signed in" + (event.client.map { " (\($0))" } ?? "")
        case .loginRefused: return "sign-in refused\(outcome)"
        case .refresh, .confirm, .report, .logout: return "\(event.kind.rawValue)\(generation)\(outcome)"
        case .ended:
            return (event.reason.map(phrase(forEnd:)) ?? "ended")
                + (event.by.map { " by session \($0)" } ?? "")
        case .userDisabled: return "account disabled"
        case .userEnabled: return "account enabled"
        case .userDeleted: return "account deleted"
        case .operatorSignIn: return "an operator signed in"
        case .operatorRefused: return "an operator's sign-in was refused"
        case .operatorSignOut: return "an operator signed out"
        case .unknown: return "something that this version does not know"
        }
    }

    private static func phrase(forEnd reason: EndReason) -> String {
        let phrase = reason.details.summary
        return phrase.hasPrefix("ended") ? phrase : "ended: \(phrase)"
    }

    /// Describes the outcome of a presented token; returns an outcome of a later version unchanged.
    private static func phrase(for outcome: String) -> String {
        if let details = KnownEndReason(rawValue: outcome)?.details {
            return details.cause == .theft
                ? "\(details.summary), which is a theft" : "the session was over (\(details.summary))"
        }
        switch outcome {
        case UnknownEndReason.unnamed: return "the session was over"
        case "superseded": return "a newer token had taken its place"
        case "forged": return "a token that this server never made"
        case "key_not_here_yet": return "made with a key that this server does not have yet"
        case "mode_not_here_yet": return "of a session in a mode that this version does not know"
        case "intent_required": return "without the intent that this session asks for"
        case "elsewhere": return "at an endpoint that is not this session's"
        case "other_client": return "by an OAuth client that it does not belong to"
        case "rolled_forward": return "the database had lost commits, and the session went on"
        default: return outcome
        }
    }
}
