// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
import FreshetEngine
import FreshetIdentity
import FreshetServer
import FreshetWire

/// An account as the tool prints it.
struct UserView: Encodable {
    var id: String
    var number: Int64
    var email: String?
    var createdAt: Date
    var disabledAt: Date?
    var signsInWith: [String]
    var sessions: Int
    var events: [EventView]?

    init(_ user: AdminService.Account) {
        id = user.id.uuidString.lowercased()
        number = user.number
        email = user.email
        createdAt = user.createdAt.date
        disabledAt = user.disabledAt?.date
        signsInWith =
            (user.hasPassword ? ["password"] : []) + (user.email != nil ? ["code"] : [])
            + (user.hasApple ? ["apple"] : [])
        sessions = user.sessions
    }

    /// The header of the table of accounts.
    static let columns = ["number", "account", "sessions", "signs in with", "created", "state"]

    /// The row of the table of accounts.
    var cells: [String] {
        [
            "\(number)", Printable.text(email ?? id), "\(sessions)", signsInWith.joined(separator: ", "),
            RelativeTime.text(to: createdAt), disabledAt == nil ? "" : "disabled",
        ]
    }

    private enum CodingKeys: String, CodingKey {
        case id, number, email, sessions, events
        case createdAt = "created_at"
        case disabledAt = "disabled_at"
        case signsInWith = "signs_in_with"
    }
}

/// An event as the tool prints it.
struct EventView: Encodable {
    var at: Date
    var kind: String
    var session: String?
    var outcome: String?
    var reason: String?
    var source: String?
    var client: String?

    init(_ event: AuditEvent) {
        at = event.at.date
        kind = event.kind.rawValue
        session = event.session?.description
        outcome = event.outcome
        reason = event.reason?.rawValue
        source = event.source
        client = event.client
    }

    /// The header of the table of events.
    static let columns = ["time", "event", "outcome", "reason", "session", "from", "client"]

    /// The row of the table of events.
    var cells: [String] {
        [at.ISO8601Format()] + [kind, outcome, reason, session, source, client].map { Printable.text($0 ?? "") }
    }
}

/// A session as the tool prints it.
struct SessionView: Encodable {
    var id: String
    var user: String
    var device: String?
    var createdAt: Date
    var lastUsedAt: Date
    var expiresAt: Date
    var generation: UInt64
    /// The reason for its end, if the session has ended.
    var reason: String?
    var endedAt: Date?
    var why: String?
    var timeline: [Entry]?

    struct Entry: Encodable {
        var at: Date
        var text: String
        var source: String?
    }

    init(_ row: SessionRow, now: Timestamp) {
        id = row.id.description
        user = row.user.uuidString.lowercased()
        device = row.device.name ?? row.device.platform
        createdAt = row.createdAt.date
        lastUsedAt = row.lastUsedAt.date
        expiresAt = row.end.date
        generation = row.rotation.current
        reason = row.endReason(at: now)?.rawValue
        endedAt = row.ending?.at.date
    }

    /// The header of the table of sessions.
    static let columns = ["id", "device", "state"]

    /// The row of the table of sessions.
    var cells: [String] {
        let state = reason.map { "ended: \($0)" } ?? "used \(RelativeTime.text(to: lastUsedAt))"
        return [id, Printable.text(device ?? "unnamed device"), state]
    }

    private enum CodingKeys: String, CodingKey {
        case id, user, device, generation, reason, why, timeline
        case createdAt = "created_at"
        case lastUsedAt = "last_used_at"
        case expiresAt = "expires_at"
        case endedAt = "ended_at"
    }
}

/// A filter that makes texts from clients safe for a terminal.
enum Printable {
    static func text(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : Character($0) })
    }
}

extension Timestamp {
    var date: Date { Date(timeIntervalSince1970: seconds) }
}
