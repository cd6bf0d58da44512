// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB

/// Reads and writes which browser is signed in to the pages by which session.
enum PageSessionTable {
    /// Gives a session its one cookie.
    static func put(_ digest: Data, _ row: SessionRow, in database: Database) throws {
        try database.execute(sql: "DELETE FROM page_sessions WHERE session = ?", arguments: [Data(row.id.bytes)])
        try database.execute(
            sql: "INSERT INTO page_sessions (digest, session, ends_at) VALUES (?, ?, ?)",
            arguments: [digest, Data(row.id.bytes), row.absoluteEnd.milliseconds]
        )
    }

    /// The session of a browser's cookie, whether or not it lives.
    static func session(of digest: Data, in database: Database) throws -> SessionRow? {
        let statement = try database.cachedStatement(sql: "SELECT session FROM page_sessions WHERE digest = ?")
        guard let bytes = try Data.fetchOne(statement, arguments: [digest]), let id = SessionID(bytes: bytes) else {
            return nil
        }
        return try SessionTable.find(id, in: database)
    }

    /// Whether a session is a browser's on these pages.
    static func has(_ id: SessionID, in database: Database) throws -> Bool {
        let sql = "SELECT 1 FROM page_sessions WHERE session = ? LIMIT 1"
        return try Int.fetchOne(database.cachedStatement(sql: sql), arguments: [Data(id.bytes)]) != nil
    }

    /// Deletes those whose time was over before a moment.
    ///
    /// - Returns: how many, `batch` at most.
    static func forget(before moment: Timestamp, batch: Int, in database: Database) throws -> Int {
        let old = "SELECT digest FROM page_sessions WHERE ends_at < ? LIMIT ?"
        try database.execute(
            sql: "DELETE FROM page_sessions WHERE digest IN (\(old))",
            arguments: [moment.milliseconds, batch]
        )
        return database.changesCount
    }
}

extension SessionTable {
    /// Notes that a page was used, and moves the session's idle end on.
    static func touch(_ id: SessionID, at now: Timestamp, idle: Duration, in database: Database) throws {
        let sql = """
            UPDATE sessions SET last_used_at = ?, idle_end = min(?, absolute_end) WHERE id = ? AND ended_at IS NULL
            """
        try database.execute(sql: sql, arguments: [now.milliseconds, (now + idle).milliseconds, Data(id.bytes)])
    }

    /// Gives a device of a user's another name; without one it is called what it is.
    ///
    /// - Returns: whether it is signed in.
    static func rename(
        _ id: SessionID,
        of user: UUID,
        to name: String?,
        at now: Timestamp,
        in database: Database
    ) throws -> Bool {
        guard let row = try find(id, in: database), row.user == user, row.endReason(at: now) == nil else {
            return false
        }
        var device = row.device
        device.name = name
        let text = String(decoding: try JSONEncoder().encode(device), as: UTF8.self)
        try database.execute(
            sql: "UPDATE sessions SET device = ? WHERE id = ?",
            arguments: [text, Data(id.bytes)]
        )
        return true
    }
}
