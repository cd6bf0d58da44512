// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB

extension SessionTable {
    /// A session that was ended.
    struct Ended: Equatable, Sendable {
        var id: SessionID
        var user: UUID
        var at: Timestamp
        var reason: EndReason
    }

    /// Sessions that were ended since a moment, whoever did it.
    static func endings(since moment: Timestamp, in database: Database) throws -> [Ended] {
        let sql = "SELECT id, user, ended_at, reason FROM sessions WHERE ended_at >= ? ORDER BY ended_at"
        return try Row.fetchAll(database.cachedStatement(sql: sql), arguments: [moment.milliseconds]).compactMap {
            row in
            guard let id = SessionID(bytes: row[0] as Data), let reason = EndReason(rawValue: row[3]) else {
                return nil
            }
            return Ended(id: id, user: try UUID(data: row[1]), at: Timestamp(milliseconds: row[2]), reason: reason)
        }
    }

    /// When a session ends or ended.
    struct End: Sendable {
        var id: SessionID
        /// In time.
        var end: Timestamp
        var endedAt: Timestamp?
        var platform: String?
        var app: String?
        var appVersion: String?
    }

    /// A page of all sessions, in the order of their ids.
    static func ends(after id: SessionID?, limit: Int, in database: Database) throws -> [End] {
        let sql = """
            SELECT id, min(idle_end, absolute_end), ended_at, device ->> '$.platform', device ->> '$.app', \
            device ->> '$.app_version' FROM sessions WHERE id > ? ORDER BY id LIMIT ?
            """
        let start = id.map { Data($0.bytes) } ?? Data()
        return try Row.fetchAll(database.cachedStatement(sql: sql), arguments: [start, limit]).compactMap { row in
            guard let id = SessionID(bytes: row[0] as Data) else { return nil }
            return End(
                id: id,
                end: Timestamp(milliseconds: row[1]),
                endedAt: (row[2] as Int64?).map { Timestamp(milliseconds: $0) },
                platform: row[3],
                app: row[4],
                appVersion: row[5]
            )
        }
    }

    /// Deletes those of the sessions that still are over since before a moment.
    ///
    /// - Returns: how many.
    static func delete(_ ids: [SessionID], endedBefore moment: Timestamp, in database: Database) throws -> Int {
        let statement = try database.cachedStatement(
            sql: "DELETE FROM sessions WHERE id = ? AND min(coalesce(ended_at, idle_end), idle_end, absolute_end) < ?"
        )
        var deleted = 0
        for id in ids {
            try statement.execute(arguments: [Data(id.bytes), moment.milliseconds])
            deleted += database.changesCount
        }
        return deleted
    }

    /// All sessions of a user, over or not, newest use first.
    static func all(of user: UUID, limit: Int, in database: Database) throws -> [SessionRow] {
        let sql = "SELECT id FROM sessions WHERE user = ? ORDER BY last_used_at DESC, id LIMIT ?"
        let ids = try Data.fetchAll(database, sql: sql, arguments: [user.data, limit])
        return try ids.compactMap { try SessionID(bytes: $0).flatMap { try find($0, in: database) } }
    }
}
