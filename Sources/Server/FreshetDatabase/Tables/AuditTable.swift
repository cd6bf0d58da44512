// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetWire

/// Reads and writes the audit trail.
package enum AuditTable {
    private static let columns =
        #"at, kind, plain, "user", session, outcome, reason, generation, by_session, source, client, times, since"#
    private static let insertion = "INSERT INTO events (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    /// The types of the values, which PostgreSQL cannot infer in a `SELECT`.
    private static let types = [
        "BIGINT", "TEXT", "BIGINT", "BYTEA", "BYTEA", "TEXT", "TEXT", "BIGINT", "BYTEA", "TEXT", "TEXT", "BIGINT",
        "BIGINT",
    ]

    /// The maximum number of events that a query for a session or a user returns; the oldest are left out.
    static let limit = 2000

    package static func insert(_ event: AuditEvent, in database: any SQLConnection) throws {
        try database.execute(insertion, values(event))
    }

    /// Returns a statement for PostgreSQL that changes rows, and inserts an event if at least one row was changed.
    ///
    /// The event's parameters follow those of the change.
    static func insertingEvent(_ change: String) -> String {
        let values = types.map { "CAST(? AS \($0))" }.joined(separator: ", ")
        return "WITH changed AS (\(change) RETURNING 1) INSERT INTO events (\(columns)) SELECT \(values) FROM changed"
    }

    static func values(_ event: AuditEvent) -> [(any SQLConvertible)?] {
        [
            event.at, event.kind.rawValue, event.isPlain ? 1 : 0, event.user, event.session, event.outcome,
            event.reason?.rawValue, event.generation.map { Int64(clamping: $0) }, event.by, event.source, event.client,
            event.times, event.since,
        ]
    }

    /// Returns the events of a session, oldest first.
    ///
    /// Notable events, streaks of refreshes and other ordinary events have separate limits: a client that presents
    /// invalid tokens must not displace the other events.
    package static func events(of session: SessionID, in database: any SQLConnection) throws -> [AuditEvent] {
        let kinds = ["plain = 0", "plain = 1 AND outcome IS NULL", "plain = 1 AND outcome IS NOT NULL"]
        let rows = try kinds.flatMap { kind in
            let sql =
                "SELECT \(columns) FROM events WHERE session = ? AND \(kind) ORDER BY at DESC, id DESC LIMIT \(limit)"
            return try database.rows(sql, [session], event)
        }
        return rows.reversed().sorted(by: AuditEvent.isInOrder)
    }

    /// Returns the notable events of all of a user's sessions.
    ///
    /// Refusals have a separate limit: an attacker's failed attempts must not displace the successful ones.
    package static func events(of user: UUID, in database: any SQLConnection) throws -> [AuditEvent] {
        let refused = AuditEvent.Kind.loginRefused.rawValue
        let rows = try ["= '\(refused)'", "<> '\(refused)'"].flatMap { kind in
            let sql = """
                SELECT \(columns) FROM events WHERE "user" = ? AND plain = 0 AND kind \(kind)
                ORDER BY at DESC, id DESC LIMIT \(limit)
                """
            return try database.rows(sql, [user], event)
        }
        return rows.reversed().sorted(by: AuditEvent.isInOrder)
    }

    /// Deletes the oldest events before a time.
    ///
    /// - Returns: The number of deleted rows, at most `batch`.
    package static func forget(plain: Bool, before moment: Timestamp, batch: Int, in database: any SQLConnection) throws
        -> Int
    {
        let age = database.eventAgeExpression
        let old =
            "SELECT id FROM events WHERE plain = ?1 AND \(age) < ?2 AND at < ?2 ORDER BY \(age) LIMIT ?3"
            + database.skippingLocked
        return try database.execute("DELETE FROM events WHERE id IN (\(old))", [plain ? 1 : 0, moment, batch])
    }

    /// Reads an event; a row of a later version may have values that this version does not know.
    private static func event(_ row: any SQLRow) throws -> AuditEvent {
        var event = AuditEvent(
            at: try row[0],
            kind: AuditEvent.Kind(rawValue: try row[1]) ?? .unknown
        )
        event.isNotable = try row[2] as Int64 == 0
        event.user = try row[3]
        event.session = (try row[4] as [UInt8]?).flatMap { SessionID(bytes: $0) }
        event.outcome = try row[5]
        event.reason = row[6]
        event.generation = (try row[7] as Int64?).map { UInt64(clamping: $0) }
        event.by = (try row[8] as [UInt8]?).flatMap { SessionID(bytes: $0) }
        event.source = try row[9]
        event.client = try row[10]
        event.times = try row[11]
        event.since = try row[12]
        return event
    }
}
