// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetWire

/// Reads and writes the networks from which accounts signed in, by their addresses.
///
/// By address and not by account, so that a lookup costs the same whether or not there is an account.
enum KnownNetworkTable {
    /// A network that was not signed in from for so long is not known any more.
    static let lifetime = Duration.seconds(180 * 86_400)
    /// An account's networks at most; the one unused for longest makes room.
    private static let maximum: Int64 = 32

    /// Whether an account signed in from a network.
    static func has(
        _ network: String,
        of email: EmailAddress,
        since oldest: Timestamp,
        in database: any SQLConnection
    ) throws -> Bool {
        let sql = "SELECT 1 FROM known_networks WHERE email = ? AND network = ? AND last_seen > ?"
        return try database.has(sql, [email, network, oldest])
    }

    /// Records a sign-in.
    static func insert(
        _ network: String,
        of email: EmailAddress,
        at now: Timestamp,
        in database: any SQLConnection
    ) throws {
        let insert = """
            INSERT INTO known_networks (email, network, last_seen) VALUES (?, ?, ?) \
            ON CONFLICT (email, network) DO UPDATE SET last_seen = excluded.last_seen
            """
        try database.execute(insert, [email, network, now])
        let count = try database.number("SELECT count(*) FROM known_networks WHERE email = ?", [email]) ?? 0
        guard count > maximum else { return }
        let oldest = "SELECT network FROM known_networks WHERE email = ? ORDER BY last_seen LIMIT ?"
        let delete = "DELETE FROM known_networks WHERE email = ? AND network IN (\(oldest))"
        try database.execute(delete, [email, email, count - maximum])
    }

    /// Forgets every network but the one from which the account's owner just proved who they are.
    static func replaceAll(
        of email: EmailAddress,
        with network: String?,
        at now: Timestamp,
        in database: any SQLConnection
    ) throws {
        try database.execute("DELETE FROM known_networks WHERE email = ?", [email])
        if let network { try insert(network, of: email, at: now, in: database) }
    }

    /// Deletes networks that were last seen before a moment.
    ///
    /// - Returns: The number of deleted rows, `batch` at most.
    static func delete(before moment: Timestamp, batch: Int, in database: any SQLConnection) throws -> Int {
        let old = "SELECT email, network FROM known_networks WHERE last_seen < ? LIMIT ?" + database.skippingLocked
        return try database.execute("DELETE FROM known_networks WHERE (email, network) IN (\(old))", [moment, batch])
    }
}
