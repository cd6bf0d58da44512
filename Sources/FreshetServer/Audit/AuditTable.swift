// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB

/// Reads and writes the audit trail.
enum AuditTable {
    private static let columns =
        "at, kind, plain, user, session, outcome, reason, generation, by_session, source, client"

    /// What a question about a session or a user gets at most, the newest.
    static let limit = 2000

    static func insert(_ event: AuditEvent, in database: Database) throws {
        let sql = "INSERT INTO events (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        try database.cachedStatement(sql: sql).execute(arguments: [
            event.at.milliseconds, event.kind.rawValue, event.isPlain ? 1 : 0, event.user?.data,
            event.session.map { Data($0.bytes) }, event.outcome, event.reason?.rawValue,
            event.generation.map { Int64(clamping: $0) }, event.by.map { Data($0.bytes) }, event.source, event.client,
        ])
    }

    static func events(of session: SessionID, in database: Database) throws -> [AuditEvent] {
        let sql = "SELECT \(columns) FROM events WHERE session = ? ORDER BY at DESC, id DESC LIMIT \(limit)"
        let rows = try Row.fetchAll(database, sql: sql, arguments: [Data(session.bytes)])
        return try rows.reversed().map(event).sorted(
            by: AuditEvent.isInOrder
        )
    }

    /// Whatever was out of the ordinary, of all of a user's sessions.
    ///
    /// Refusals have a limit of their own: whoever tries in vain must not push out of sight what succeeded.
    static func events(of user: UUID, in database: Database) throws -> [AuditEvent] {
        let refused = AuditEvent.Kind.loginRefused.rawValue
        let rows = try ["= '\(refused)'", "<> '\(refused)'"].flatMap { kind in
            let sql = """
                SELECT \(columns) FROM events WHERE user = ? AND plain = 0 AND kind \(kind)
                ORDER BY at DESC, id DESC LIMIT \(limit)
                """
            return try Row.fetchAll(database, sql: sql, arguments: [user.data])
        }
        return try rows.reversed().map(event).sorted(by: AuditEvent.isInOrder)
    }

    /// Forgets the oldest events before a moment.
    ///
    /// - Returns: how many there were, `batch` at most.
    static func forget(plain: Bool, before moment: Timestamp, batch: Int, in database: Database) throws -> Int {
        try database.execute(
            sql: """
                DELETE FROM events WHERE id IN (SELECT id FROM events WHERE plain = ? AND at < ? ORDER BY at LIMIT ?)
                """,
            arguments: [plain ? 1 : 0, moment.milliseconds, batch]
        )
        return database.changesCount
    }

    /// A row of a later version may hold words that this one does not know.
    private static func event(_ row: Row) throws -> AuditEvent {
        var event = AuditEvent(
            at: Timestamp(milliseconds: row[0]),
            kind: AuditEvent.Kind(rawValue: row[1]) ?? .unknown
        )
        event.isNotable = (row[2] as Int64) == 0
        event.user = try (row[3] as Data?).map { try UUID(data: $0) }
        event.session = (row[4] as Data?).flatMap { SessionID(bytes: $0) }
        event.outcome = row[5]
        event.reason = (row[6] as String?).flatMap(EndReason.init)
        event.generation = (row[7] as Int64?).map { UInt64(clamping: $0) }
        event.by = (row[8] as Data?).flatMap { SessionID(bytes: $0) }
        event.source = row[9]
        event.client = row[10]
        return event
    }
}
