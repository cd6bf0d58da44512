// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetEngine
package import FreshetWire

/// Reads and writes the sessions by which browsers are signed in to the pages.
package enum PageSessionTable {
    /// Stores the cookie of a session, which replaces an earlier one.
    package static func put(_ digest: Data, _ row: SessionRow, in database: any SQLConnection) throws {
        try database.execute("DELETE FROM page_sessions WHERE session = ?", [row.id])
        try database.execute(
            "INSERT INTO page_sessions (digest, session, ends_at) VALUES (?, ?, ?)",
            [digest, row.id, row.absoluteExpiry]
        )
    }

    /// Returns the session of a browser's cookie, whether or not it is active.
    package static func session(of digest: Data, in database: any SQLConnection) throws -> SessionRow? {
        try database.row("SELECT session FROM page_sessions WHERE digest = ?", [digest]) { try $0[0] }
            .flatMap { try SessionTable.find($0, in: database) }
    }

    /// Returns whether a session is that of a browser on the pages.
    package static func has(_ id: SessionID, in database: any SQLConnection) throws -> Bool {
        try database.has("SELECT 1 FROM page_sessions WHERE session = ? LIMIT 1", [id])
    }

    /// Deletes cookies that expired before a moment.
    ///
    /// - Returns: The number of deleted rows, at most `batch`.
    package static func deleteExpired(before moment: Timestamp, batch: Int, in database: any SQLConnection) throws
        -> Int
    {
        let old = "SELECT digest FROM page_sessions WHERE ends_at < ? LIMIT ?" + database.skippingLocked
        return try database.execute("DELETE FROM page_sessions WHERE digest IN (\(old))", [moment, batch])
    }
}

extension SessionTable {
    /// Records the use of a page, and extends the session's idle timeout.
    package static func touch(_ id: SessionID, at now: Timestamp, idle: Duration, in database: any SQLConnection) throws
    {
        let sql = """
            UPDATE sessions SET last_used_at = ?, idle_end = CASE WHEN absolute_end < ? THEN absolute_end ELSE ? END \
            WHERE id = ? AND ended_at IS NULL
            """
        try database.execute(sql, [now, now + idle, now + idle, id])
    }
}
