// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetWire

/// Reads and writes queued mails, and the servers that deliver them.
package enum MailTable {
    package struct Row: Sendable {
        package var id: Bits128
        /// The server process that delivers the mail.
        var owner: [UInt8]
        package var expiresAt: Timestamp
        /// The key that encrypts the mail.
        package var keyID: UInt8
        package var sealed: [UInt8]

        package init(id: Bits128, owner: [UInt8], expiresAt: Timestamp, keyID: UInt8, sealed: [UInt8]) {
            self.id = id
            self.owner = owner
            self.expiresAt = expiresAt
            self.keyID = keyID
            self.sealed = sealed
        }
    }

    package static func insert(_ row: Row, in database: any SQLConnection) throws {
        try database.execute(
            "INSERT INTO mail_queue (id, owner, expires_at, key_id, sealed) VALUES (?, ?, ?, ?, ?)",
            [row.id, row.owner, row.expiresAt, Int(row.keyID), row.sealed]
        )
    }

    package static func delete(_ ids: [Bits128], in database: any SQLConnection) throws {
        for id in ids { try database.execute("DELETE FROM mail_queue WHERE id = ?", [id]) }
    }

    /// Returns the ids of the mails that a server delivers.
    package static func ids(of owner: [UInt8], in database: any SQLConnection) throws -> Set<Bits128> {
        Set(try database.rows("SELECT id FROM mail_queue WHERE owner = ?", [owner]) { try $0[0] as Bits128 })
    }

    /// Makes a server the owner of mails whose owner is not registered, the earliest to expire first.
    ///
    /// Concurrent servers take different rows.
    package static func takeOrphans(
        for owner: [UInt8],
        limit: Int,
        now: Timestamp,
        in database: any SQLConnection
    ) throws -> [Row] {
        let sql = """
            SELECT id, expires_at, key_id, sealed FROM mail_queue
            WHERE owner <> ? AND owner NOT IN (SELECT id FROM mail_servers) AND expires_at > ?
            ORDER BY expires_at LIMIT ?
            """
        let rows = try database.rows(sql + database.skippingLocked, [owner, now, limit]) { row in
            let keyID = UInt8(clamping: try row[2] as Int)
            return Row(id: try row[0], owner: owner, expiresAt: try row[1], keyID: keyID, sealed: try row[3])
        }
        for row in rows {
            try database.execute("UPDATE mail_queue SET owner = ? WHERE id = ?", [owner, row.id])
        }
        return rows
    }

    /// Deletes mails that expired before a moment.
    ///
    /// - Returns: The number of deleted rows, at most `batch`.
    package static func forget(before moment: Timestamp, batch: Int, in database: any SQLConnection) throws -> Int {
        let old = "SELECT id FROM mail_queue WHERE expires_at < ? LIMIT ?" + database.skippingLocked
        return try database.execute("DELETE FROM mail_queue WHERE id IN (\(old))", [moment, batch])
    }

    // MARK: - Servers

    /// Records that a server is running.
    ///
    /// - Returns: Whether it was registered before.
    package static func recordHeartbeat(_ server: [UInt8], in database: any SQLConnection) throws -> Bool {
        if try database.execute("UPDATE mail_servers SET beat = beat + 1 WHERE id = ?", [server]) > 0 { return true }
        try database.execute("INSERT INTO mail_servers (id, beat) VALUES (?, 0)", [server])
        return false
    }

    /// Returns the heartbeat counters of all other servers.
    package static func heartbeats(
        besides server: [UInt8],
        in database: any SQLConnection
    ) throws -> [(server: [UInt8], beat: Int64)] {
        try database.rows("SELECT id, beat FROM mail_servers WHERE id <> ? ORDER BY id", [server]) { row in
            (try row[0], try row[1])
        }
    }

    package static func unregister(_ servers: [[UInt8]], in database: any SQLConnection) throws {
        for server in servers { try database.execute("DELETE FROM mail_servers WHERE id = ?", [server]) }
    }
}
