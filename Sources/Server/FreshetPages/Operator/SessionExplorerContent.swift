// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetIdentity
import FreshetWire

/// The content of the explorer's templates.
enum SessionExplorerContent {
    struct Search: Sendable {
        var query: String
        var hasFailed: Bool
        var recent: [Session]
        var hasRecent: Bool
    }

    /// A session in a list.
    struct Session: Sendable {
        var path: String
        /// The beginning of its ID, which distinguishes sessions with the same name.
        var short: String
        var name: String
        var detail: String
        var email: String
        var why: String
        var state: String
        /// The CSS class of the tag.
        var mood: String
        var used: String
        var usedAgo: String

        init(_ row: SessionRow, why: String, email: String?, now: Timestamp) {
            path = "\(SessionExplorer.home)/\(row.id)"
            short = String(row.id.description.prefix(8))
            name = OperatorText.name(row.device)
            detail = OperatorText.detail(row.device)
            self.email = email ?? "no address"
            self.why = why
            (state, mood) = SessionExplorerContent.state(row, now)
            let moment = row.ending?.at ?? row.endReason(at: now).map { _ in row.end } ?? row.lastUsedAt
            used = OperatorText.dateTime(moment)
            usedAgo = OperatorText.relativeTime(moment, from: now)
        }
    }

    /// An event of a timeline.
    struct Event: Sendable {
        var at: String
        var machine: String
        var text: String
        var source: String

        init(_ entry: SessionTimeline.Entry, naming rows: [SessionRow]) {
            let sentence = SessionExplorerContent.named(entry.text, rows)
            at = OperatorText.dateTime(entry.at)
            machine = OperatorText.iso8601(entry.at)
            text = sentence.prefix(1).uppercased() + sentence.dropFirst()
            source = entry.source.map { "from \($0)" } ?? ""
        }
    }

    struct Fact: Sendable {
        var name: String
        var value: String
    }

    struct User: Sendable {
        var name: String
        var lead: String
        var facts: [Fact]
        var isDisabled: Bool
        var hasLive: Bool
        var end: String
        var disable: String
        var enable: String
        var sessions: [Session]
        var hasSessions: Bool
        var events: [Event]
        var hasEvents: Bool

        init(
            _ account: AdminService.Account,
            _ lives: [(row: SessionRow, why: String)],
            events: [AuditEvent],
            now: Timestamp
        ) {
            let rows = lives.map(\.row)
            name = account.email ?? "User \(account.number)"
            let path = "\(SessionExplorer.users)/\(SessionID(account.id))"
            (end, disable, enable) = ("\(path)/end", "\(path)/disable", "\(path)/enable")
            isDisabled = account.disabledAt != nil
            hasLive = account.sessions > 0
            lead =
                account.disabledAt.map {
                    "An operator disabled this account \(OperatorText.relativeTime($0, from: now))."
                }
                ?? (hasLive
                    ? "Signed in on \(OperatorText.plural(account.sessions, "device"))."
                    : "Not signed in on any device.")
            let ways = [
                (account.hasPassword, "password"), (account.hasApple, "Apple"), (account.email != nil, "code by mail"),
            ]
            facts = [
                Fact(name: "Account made", value: OperatorText.dateTime(account.createdAt)),
                Fact(name: "Signs in by", value: ways.filter(\.0).map(\.1).joined(separator: ", ")),
                Fact(name: "User id", value: SessionID(account.id).description),
                Fact(name: "Number", value: "\(account.number)"),
            ]
            sessions = lives.map { row, why in
                Session(row, why: SessionExplorerContent.named(why, rows), email: nil, now: now)
            }
            hasSessions = !lives.isEmpty
            self.events = events.newest(100).reversed().map { Event(SessionTimeline.entry($0), naming: rows) }
            hasEvents = !events.isEmpty
        }
    }

    struct SessionDetail: Sendable {
        var heading: String
        var why: String
        var state: String
        var mood: String
        var isAlive: Bool
        var email: String
        var user: String
        var end: String
        var hasEnder: Bool
        var ender: String
        var enderName: String
        var facts: [Fact]
        var events: [Event]

        init(_ row: SessionRow, _ timeline: SessionTimeline, email: String?, ender: SessionRow?, now: Timestamp) {
            heading = OperatorText.name(row.device)
            let named = ender.map { [$0] } ?? []
            why = SessionExplorerContent.named(timeline.why, named)
            (state, mood) = SessionExplorerContent.state(row, now)
            isAlive = timeline.end == nil
            self.email = email ?? "an account without an address"
            user = "\(SessionExplorer.users)/\(SessionID(row.user))"
            end = "\(SessionExplorer.home)/\(row.id)/end"
            hasEnder = ender != nil
            self.ender = ender.map { "\(SessionExplorer.home)/\($0.id)" } ?? ""
            enderName = ender.map { OperatorText.name($0.device) } ?? ""
            let method = row.method.map { " by \($0)" } ?? ""
            let place = row.place.map { " from \($0)" } ?? ""
            facts = [
                Fact(name: "Signed in\(method)", value: "\(OperatorText.dateTime(row.createdAt))\(place)"),
                Fact(name: "Last used", value: OperatorText.dateTime(row.lastUsedAt)),
                timeline.endedAt.map { Fact(name: "Ended", value: OperatorText.dateTime($0)) }
                    ?? Fact(name: "Expires unless used before", value: OperatorText.dateTime(row.idleExpiry)),
                Fact(name: "Could live until", value: OperatorText.dateTime(row.absoluteExpiry)),
                Fact(name: "Device", value: OperatorText.detail(row.device)),
                Fact(name: "Contract", value: row.contract ?? "native"),
                Fact(name: "Session id", value: row.id.description),
            ]
            events = timeline.entries.reversed().map { Event($0, naming: named) }
        }
    }

    /// Returns the name of a session's state, and the CSS class of its tag.
    static func state(_ row: SessionRow, _ now: Timestamp) -> (String, String) {
        guard let reason = row.endReason(at: now) else { return ("alive", "good") }
        return reason.isTheft ? ("theft", "bad") : reason.isForced ? ("forced", "warn") : ("ended", "")
    }

    /// Replaces the IDs of sessions in a text by the names of their devices.
    static func named(_ text: String, _ rows: [SessionRow]) -> String {
        rows.reduce(text) { $0.replacing("session \($1.id)", with: "“\(OperatorText.name($1.device))”") }
    }
}
