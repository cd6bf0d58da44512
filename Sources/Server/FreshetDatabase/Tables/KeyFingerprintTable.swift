// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetWire

/// Reads and writes the fingerprints of the keys in use, and the database's identity.
package enum KeyFingerprintTable {
    package static func records(_ kind: String, in database: any SQLConnection) throws -> [KeyInventory.Record] {
        try database.rows("SELECT id, fingerprint, retired_at FROM key_fingerprints WHERE kind = ?", [kind]) { row in
            KeyInventory.Record(
                id: UInt8(clamping: try row[0] as Int64),
                fingerprint: try row[1] as [UInt8]?,
                isRetired: !row.isNull(2)
            )
        }
    }

    /// Adds a key, or replaces its fingerprint.
    package static func set(
        _ kind: String,
        _ id: UInt8,
        _ fingerprint: [UInt8]?,
        retiredAt: Timestamp? = nil,
        in database: any SQLConnection
    ) throws {
        try database.execute(
            """
            INSERT INTO key_fingerprints (kind, id, fingerprint, retired_at) VALUES (?, ?, ?, ?) \
            ON CONFLICT (kind, id) DO UPDATE SET fingerprint = excluded.fingerprint, retired_at = excluded.retired_at
            """,
            [kind, Int64(id), fingerprint, retiredAt]
        )
    }

    /// Marks a key as retired.
    ///
    /// - Returns: Whether the key was known, and not retired before.
    @discardableResult
    package static func retire(_ kind: String, _ id: UInt8, at now: Timestamp, in database: any SQLConnection) throws
        -> Bool
    {
        let sql = "UPDATE key_fingerprints SET retired_at = ? WHERE kind = ? AND id = ? AND retired_at IS NULL"
        return try database.execute(sql, [now, kind, Int64(id)]) == 1
    }

    package static func identity(in database: any SQLConnection) throws -> Bits128? {
        try database.row("SELECT id FROM database_identity WHERE place = 1") { try $0[0] as Bits128 }
    }

    /// Stores the identity of the database, unless another server did.
    package static func setIdentity(_ identity: Bits128, in database: any SQLConnection) throws {
        try database.execute(
            "INSERT INTO database_identity (place, id) VALUES (1, ?) ON CONFLICT (place) DO NOTHING",
            [identity]
        )
    }

    /// Returns whether the tables show that the database never had an account.
    package static func isEmpty(in database: any SQLConnection) throws -> Bool {
        guard try !database.has("SELECT 1 FROM users LIMIT 1") else { return false }
        return try !database.has("SELECT 1 FROM sessions LIMIT 1")
    }
}
