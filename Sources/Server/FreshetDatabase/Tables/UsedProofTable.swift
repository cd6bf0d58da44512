// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
import FreshetWire

/// Reads and writes used one-time proofs, which are stored while they would otherwise be accepted again.
package enum UsedProofTable {
    /// Returns the use of a proof; `nil` if none is stored.
    package static func use(of digest: [UInt8], in database: any SQLConnection) throws -> CodeAttemptRow.Use? {
        let sql = "SELECT session, intent FROM spent_proofs WHERE digest = ?"
        return try database.row(sql, [digest]) { row -> CodeAttemptRow.Use? in
            guard let session = (try row[0] as [UInt8]?).flatMap({ SessionID(bytes: $0) }) else { return nil }
            let intent = (try row[1] as [UInt8]?).flatMap { IntentHash(bytes: $0) }
            return CodeAttemptRow.Use(session: session, intent: intent)
        } ?? nil
    }

    /// Marks a proof as used, and deletes those that expired before a moment.
    ///
    /// - Returns: Whether the proof was unused.
    package static func markUsed(
        _ digest: [UInt8],
        until end: Timestamp,
        for use: CodeAttemptRow.Use?,
        deletingExpiredBefore moment: Timestamp,
        in database: any SQLConnection
    ) throws -> Bool {
        try database.execute("DELETE FROM spent_proofs WHERE expires_at <= ?", [moment])
        return try database.execute(
            "INSERT INTO spent_proofs (digest, expires_at, session, intent) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [digest, end, use?.session, use?.intent]
        ) == 1
    }
}
