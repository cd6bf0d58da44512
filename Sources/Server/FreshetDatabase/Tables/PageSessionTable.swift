// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetWire

/// Reads and writes which browser is signed in to the pages by which session.
package enum PageSessionTable {
    /// Gives a session its one cookie.
    package static func put(_ digest: Data, _ row: SessionRow, in database: any SQLConnection) throws {
        try database.execute("DELETE FROM page_sessions WHERE session = ?", [row.id])
        try database.execute(
            "INSERT INTO page_sessions (digest, session, ends_at) VALUES (?, ?, ?)",
            [digest, row.id, row.absoluteExpiry]
        )
    }

    /// The session of a browser's cookie, whether or not it lives.
    package static func session(of digest: Data, in database: any SQLConnection) throws -> SessionRow? {
        try database.row("SELECT session FROM page_sessions WHERE digest = ?", [digest]) { try $0[0] }
            .flatMap { try SessionTable.find($0, in: database) }
    }

    /// Whether a session is a browser's on these pages.
    package static func has(_ id: SessionID, in database: any SQLConnection) throws -> Bool {
        try database.has("SELECT 1 FROM page_sessions WHERE session = ? LIMIT 1", [id])
    }

    /// Deletes those whose time was over before a moment.
    ///
    /// - Returns: how many, `batch` at most.
    package static func deleteExpired(before moment: Timestamp, batch: Int, in database: any SQLConnection) throws
        -> Int
    {
        let old = "SELECT digest FROM page_sessions WHERE ends_at < ? LIMIT ?" + database.skippingLocked
        return try database.execute("DELETE FROM page_sessions WHERE digest IN (\(old))", [moment, batch])
    }
}

extension SessionTable {
    /// Notes that a page was used, and moves the session's idle end on.
    package static func touch(_ id: SessionID, at now: Timestamp, idle: Duration, in database: any SQLConnection) throws
    {
        let sql = """
            UPDATE sessions SET last_used_at = ?, idle_end = CASE WHEN absolute_end < ? THEN absolute_end ELSE ? END \
            WHERE id = ? AND ended_at IS NULL
            """
        try database.execute(sql, [now, now + idle, now + idle, id])
    }

    /// Gives a device of a user's another name; without one it is called what it is.
    ///
    /// - Returns: whether it is signed in.
    package static func rename(
        _ id: SessionID,
        to name: String?,
        at now: Timestamp,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws -> Bool {
        guard let row = try find(id, in: database), row.user == authority.user, row.endReason(at: now) == nil else {
            return false
        }
        var device = row.device
        device.name = name
        let text = String(decoding: try JSONEncoder().encode(device), as: UTF8.self)
        try database.execute(
            "UPDATE sessions SET device = ? WHERE id = ?",
            [text, id]
        )
        return true
    }
}
