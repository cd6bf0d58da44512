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
    /// What PostgreSQL cannot find out of values that come by way of a selection.
    private static let types = [
        "BIGINT", "TEXT", "BIGINT", "BYTEA", "BYTEA", "TEXT", "TEXT", "BIGINT", "BYTEA", "TEXT", "TEXT", "BIGINT",
        "BIGINT",
    ]

    /// What a question about a session or a user gets at most, the newest.
    package static let limit = 2000

    package static func insert(_ event: AuditEvent, in database: any SQLConnection) throws {
        try database.execute(insertion, values(event))
    }

    /// A change of rows, for PostgreSQL, that notes an event if there were any; the event's values come behind the change's.
    static func insertingEvent(_ change: String) -> String {
        let values = types.map { "CAST(? AS \($0))" }.joined(separator: ", ")
        return "WITH changed AS (\(change) RETURNING 1) INSERT INTO events (\(columns)) SELECT \(values) FROM changed"
    }

    package static func values(_ event: AuditEvent) -> [(any SQLConvertible)?] {
        [
            event.at, event.kind.rawValue, event.isPlain ? 1 : 0, event.user, event.session, event.outcome,
            event.reason?.rawValue, event.generation.map { Int64(clamping: $0) }, event.by, event.source, event.client,
            event.times, event.since,
        ]
    }

    /// What happened to a session, oldest first.
    ///
    /// What is out of the ordinary, runs of refreshes and the rest have limits of their own: whoever presents what is no token
    /// must not push out of sight what happened.
    package static func events(of session: SessionID, in database: any SQLConnection) throws -> [AuditEvent] {
        let kinds = ["plain = 0", "plain = 1 AND outcome IS NULL", "plain = 1 AND outcome IS NOT NULL"]
        let rows = try kinds.flatMap { kind in
            let sql =
                "SELECT \(columns) FROM events WHERE session = ? AND \(kind) ORDER BY at DESC, id DESC LIMIT \(limit)"
            return try database.rows(sql, [session], event)
        }
        return rows.reversed().sorted(by: AuditEvent.isInOrder)
    }

    /// Whatever was out of the ordinary, of all of a user's sessions.
    ///
    /// Refusals have a limit of their own: whoever tries in vain must not push out of sight what succeeded.
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

    /// Forgets the oldest events before a moment.
    ///
    /// - Returns: how many there were, `batch` at most.
    package static func forget(plain: Bool, before moment: Timestamp, batch: Int, in database: any SQLConnection) throws
        -> Int
    {
        let age = database.eventAgeExpression
        let old =
            "SELECT id FROM events WHERE plain = ?1 AND \(age) < ?2 AND at < ?2 ORDER BY \(age) LIMIT ?3"
            + database.skippingLocked
        return try database.execute("DELETE FROM events WHERE id IN (\(old))", [plain ? 1 : 0, moment, batch])
    }

    /// A row of a later version may hold words that this one does not know.
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
