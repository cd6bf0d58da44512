// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

/// Reads and writes the networks from which OAuth clients showed their secrets.
enum ClientNetworkTable {
    /// A client's networks at most; the one unused for longest makes room.
    private static let maximum: Int64 = 64

    /// Whether a client authenticated from a network.
    static func has(
        _ network: String,
        of client: String,
        since oldest: Timestamp,
        in database: any SQLConnection
    ) throws -> Bool {
        let sql = "SELECT 1 FROM client_networks WHERE client = ? AND network = ? AND last_seen > ?"
        return try database.has(sql, [client, network, oldest])
    }

    /// Records that a client authenticated.
    static func insert(_ network: String, of client: String, at now: Timestamp, in database: any SQLConnection) throws {
        let insert = """
            INSERT INTO client_networks (client, network, last_seen) VALUES (?, ?, ?) \
            ON CONFLICT (client, network) DO UPDATE SET last_seen = excluded.last_seen
            """
        try database.execute(insert, [client, network, now])
        let count = try database.number("SELECT count(*) FROM client_networks WHERE client = ?", [client]) ?? 0
        guard count > maximum else { return }
        let oldest = "SELECT network FROM client_networks WHERE client = ? ORDER BY last_seen LIMIT ?"
        let delete = "DELETE FROM client_networks WHERE client = ? AND network IN (\(oldest))"
        try database.execute(delete, [client, client, count - maximum])
    }

    /// Deletes networks that were last seen before a moment.
    ///
    /// - Returns: The number of deleted rows, `batch` at most.
    static func delete(before moment: Timestamp, batch: Int, in database: any SQLConnection) throws -> Int {
        let old = "SELECT client, network FROM client_networks WHERE last_seen < ? LIMIT ?" + database.skippingLocked
        return try database.execute("DELETE FROM client_networks WHERE (client, network) IN (\(old))", [moment, batch])
    }
}
