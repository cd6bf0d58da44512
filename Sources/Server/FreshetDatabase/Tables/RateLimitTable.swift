// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
package import FreshetWire

/// Reads and writes token buckets, by the digests of their keys.
///
/// Rows of versions that computed digests differently no longer match a key; they are deleted once they are full.
package enum RateLimitTable {
    /// Returns up to `limit` buckets that are not full, starting with the one that becomes full last.
    package static func all(
        at now: Timestamp,
        limit: Int,
        in database: any SQLConnection
    ) throws -> [(Bits128, TokenBucket)] {
        let sql = "SELECT key, full_at FROM attempt_budgets WHERE full_at > ? ORDER BY full_at DESC LIMIT ?"
        let rows = try database.rows(sql, [now, limit]) { row -> (Bits128, TokenBucket)? in
            let text: String = try row[0]
            let key = Base64URL.decode(text).flatMap { Bits128(bytes: $0) }
            let bucket = TokenBucket(fullAt: try row[1])
            return key.map { ($0, bucket) }
        }
        return rows.compactMap(\.self)
    }

    /// Records that tokens were taken from a bucket, by adding the time that it takes to regain them.
    ///
    /// The stored time is at most that of an empty bucket, because a wall clock that was ahead for a moment may have
    /// stored times in the far future.
    ///
    /// - Returns: The bucket, without the tokens that this and other servers took from it.
    package static func add(
        _ span: Duration,
        to key: Bits128,
        _ limit: RateLimit,
        at now: Timestamp,
        in database: any SQLConnection
    ) throws -> TokenBucket {
        let sql = """
            INSERT INTO attempt_budgets (key, full_at) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET full_at = CASE \
            WHEN attempt_budgets.full_at <= ?3 THEN ?2 WHEN attempt_budgets.full_at + ?4 > ?5 THEN ?5 \
            ELSE attempt_budgets.full_at + ?4 END RETURNING full_at
            """
        let latest = now + limit.refillTime
        let end = min(now + span, latest)
        let values: [any SQLConvertible] = [text(key), end, now, span.milliseconds, latest]
        return TokenBucket(fullAt: try database.row(sql, values) { try $0[0] } ?? end)
    }

    /// Deletes buckets that are full.
    package static func sweep(at now: Timestamp, in database: any SQLConnection) throws {
        try database.execute("DELETE FROM attempt_budgets WHERE full_at <= ?", [now])
    }

    /// Returns the text of a key in the table.
    static func text(_ key: Bits128) -> String { Base64URL.encode(key.bytes) }
}
