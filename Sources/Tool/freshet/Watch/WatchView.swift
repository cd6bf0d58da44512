// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// The state of a session at one moment, as `freshet watch` shows it.
struct WatchView {
    var profile: String
    var server: URL
    var status: SessionStatus
    /// The time until the next refresh ahead of expiry; `nil` if none is scheduled.
    var refreshIn: Duration?
    /// The last changes, oldest first.
    var entries: [WatchEntry] = []
    var now: Date
    var zone = TimeZone.current

    /// The frame for a terminal of this size, with as many entries as it has room for, and at least the last one.
    func frame(rows: Int, columns: Int) -> [String] {
        let facts = ["Freshet  profile \(profile) at \(server.absoluteString)", ""] + facts
        var lines = facts.flatMap { $0.wrapped(columns: columns - 1) }
        var room = rows - lines.count - 4
        var shown: [[String]] = []
        for entry in entries.reversed() {
            let text = "  \(line(entry))".wrapped(columns: columns - 1)
            guard shown.isEmpty || text.count <= room else { break }
            shown.insert(text, at: 0)
            room -= text.count
        }
        if !shown.isEmpty { lines += [""] + shown.flatMap { $0 } }
        return lines + ["", "  q or Ctrl-C ends this; the session stays."]
    }

    /// One line with the whole state.
    var summary: String {
        var text = state.withCapital
        if status.accessTokenExpiresAt != nil { text += "; access token \(accessToken); next refresh \(nextRefresh)" }
        return text + "."
    }

    /// Returns the line of an entry: the time of day and a sentence.
    func line(_ entry: WatchEntry) -> String {
        "\(ClockTime.text(entry.date, now: now, in: zone))  \(entry.text)"
    }

    /// Returns an entry as a JSON object for scripts.
    func record(_ entry: WatchEntry) -> WatchRecord { WatchRecord(entry, self) }

    /// The date of the next refresh.
    var nextRefreshAt: Date? { refreshIn.map { now + $0 / .seconds(1) } }

    // MARK: - The facts

    /// The facts of the session, one per line.
    var facts: [String] {
        var facts: [(name: String, value: String)] = [("session", state)]
        if status.accessTokenExpiresAt != nil {
            facts += [("access token", accessToken), ("next refresh", nextRefresh)]
        }
        if let end = status.sessionExpiresAt { facts.append(("session ends", time(end))) }
        if let generation = status.generation { facts.append(("refreshes", "\(generation)")) }
        facts += SessionFacts.pending(isSaved: status.isSaved, hasPendingLogout: status.hasPendingLogout)
        facts.append(("store", status.store))
        return SessionFacts.lines(facts.map { ($0.name, $0.value.onOneLine) }).map { "  \($0)" }
    }

    private var state: String {
        switch status.state {
        case .unknown:
            return "unknown: the store cannot be read" + (status.storeFault.map { " (\($0.reason))" } ?? "")
        case .recordUnusable(let fault): return "the stored session cannot be used (\(fault.reason)): sign in again"
        case .signedOut(nil): return "signed out"
        case .signedOut(let reason?): return "signed out (\(reason.rawValue)): \(reason)".withoutFullStop
        case .active: return "signed in\(user)"
        case .refreshing: return "signed in\(user), a refresh is in progress"
        case .offline: return "signed in\(user), the last refresh did not reach the server"
        case .ending: return "signing out"
        }
    }

    private var user: String { (status.email ?? status.userID).map { " as \($0)" } ?? "" }

    private var accessToken: String {
        guard let end = status.accessTokenExpiresAt else { return "none" }
        let left = end.timeIntervalSince(now)
        return left > 0
            ? "valid until \(time(end)), \(ClockTime.length(left)) left"
            : "expired at \(time(end)), \(ClockTime.length(-left)) ago"
    }

    private var nextRefresh: String {
        guard status.isRenewable else { return "none: nothing can refresh this session" }
        if status.state == .refreshing { return "in progress" }
        guard let refreshIn, let date = nextRefreshAt else { return "not scheduled" }
        return refreshIn > .zero ? "at \(time(date)), in \(ClockTime.length(refreshIn / .seconds(1)))" : "due"
    }

    private func time(_ date: Date) -> String { ClockTime.text(date, now: now, in: zone) }
}

extension String {
    /// The text in lines of at most this length, broken at spaces; those after the first are indented.
    fileprivate func wrapped(columns: Int) -> [String] {
        let indent = "      "
        guard count > columns, columns > 2 * indent.count else { return [self] }
        var lines: [String] = []
        var rest = self[...]
        while rest.count > columns {
            let line = rest.prefix(columns + 1)
            // A break within the first line's own indent would leave it empty.
            guard let space = line.lastIndex(of: " "), line[..<space].contains(where: { $0 != " " }) else { break }
            lines.append(String(line[..<space]))
            rest = (indent + rest[space...].drop { $0 == " " })[...]
        }
        return lines + [String(rest)]
    }

    /// The text without the full stop at its end.
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
