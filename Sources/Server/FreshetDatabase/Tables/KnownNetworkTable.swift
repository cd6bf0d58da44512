// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
import FreshetWire

/// Reads and writes the networks from which accounts signed in, or OAuth clients authenticated.
package struct KnownNetworkTable: Sendable {
    /// The networks of accounts.
    ///
    /// They are stored by address instead of ID, so that a lookup takes the same time whether or not there is an
    /// account.
    package static let accounts = KnownNetworkTable("known_networks", owner: "email", maximum: 32)
    package static let clients = KnownNetworkTable("client_networks", owner: "client", maximum: 64)
    /// The time since its last use after which a network is no longer known.
    package static let lifetime = Duration.seconds(180 * 86_400)

    package let name: String
    /// The maximum number of an owner's networks; a new one replaces the least recently used one.
    private let maximum: Int64
    // Statements are cached by their texts, which are therefore created only once.
    private let lookup, upsert, count, trim, deletion, old, expiry: String

    private init(_ name: String, owner: String, maximum: Int64) {
        self.name = name
        self.maximum = maximum
        lookup = "SELECT 1 FROM \(name) WHERE \(owner) = ? AND network = ? AND last_seen > ?"
        upsert = """
            INSERT INTO \(name) (\(owner), network, last_seen) VALUES (?, ?, ?) \
            ON CONFLICT (\(owner), network) DO UPDATE SET last_seen = excluded.last_seen
            """
        count = "SELECT count(*) FROM \(name) WHERE \(owner) = ?"
        let leastRecent = "SELECT network FROM \(name) WHERE \(owner) = ? ORDER BY last_seen LIMIT ?"
        trim = "DELETE FROM \(name) WHERE \(owner) = ? AND network IN (\(leastRecent))"
        deletion = "DELETE FROM \(name) WHERE \(owner) = ?"
        old = "SELECT \(owner), network FROM \(name) WHERE last_seen < ? LIMIT ?"
        expiry = "DELETE FROM \(name) WHERE (\(owner), network) IN "
    }

    /// Whether the owner used a network after a moment.
    package func has(
        _ network: String,
        of owner: any SQLConvertible,
        since oldest: Timestamp,
        in database: any SQLConnection
    ) throws -> Bool {
        try database.has(lookup, [owner, network, oldest])
    }

    /// Records that the owner used a network.
    package func insert(
        _ network: String,
        of owner: any SQLConvertible,
        at now: Timestamp,
        in database: any SQLConnection
    ) throws {
        try database.execute(upsert, [owner, network, now])
        let networks = try database.number(count, [owner]) ?? 0
        guard networks > maximum else { return }
        try database.execute(trim, [owner, owner, networks - maximum])
    }

    /// Deletes all networks of the owner except the one from which the owner just proved an identity.
    func replaceAll(
        of owner: any SQLConvertible,
        with network: String?,
        at now: Timestamp,
        in database: any SQLConnection
    ) throws {
        try database.execute(deletion, [owner])
        if let network { try insert(network, of: owner, at: now, in: database) }
    }

    /// Deletes networks that were last used before a moment.
    ///
    /// - Returns: The number of deleted rows, at most `batch`.
    package func delete(before moment: Timestamp, batch: Int, in database: any SQLConnection) throws -> Int {
        try database.execute("\(expiry)(\(old)\(database.skippingLocked))", [moment, batch])
    }
}
