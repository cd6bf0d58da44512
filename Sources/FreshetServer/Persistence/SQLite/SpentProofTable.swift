// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB

/// Remembers what works once, for as long as it would work again.
enum SpentProofTable {
    /// What a proof was used for.
    static func use(of digest: [UInt8], in database: Database) throws -> CodeAttemptRow.Use? {
        let sql = "SELECT session, intent FROM spent_proofs WHERE digest = ?"
        let row = try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [Data(digest)])
        guard let row, let session = (row[0] as Data?).flatMap({ SessionID(bytes: $0) }) else { return nil }
        return CodeAttemptRow.Use(session: session, intent: (row[1] as Data?).flatMap { IntentHash(bytes: $0) })
    }

    /// Spends a proof, and forgets those whose time is over.
    ///
    /// - Returns: whether it was still good.
    static func spend(
        _ digest: [UInt8],
        until end: Timestamp,
        for use: CodeAttemptRow.Use?,
        at now: Timestamp,
        in database: Database
    ) throws -> Bool {
        try database.execute(sql: "DELETE FROM spent_proofs WHERE expires_at <= ?", arguments: [now.milliseconds])
        try database.execute(
            sql: "INSERT OR IGNORE INTO spent_proofs (digest, expires_at, session, intent) VALUES (?, ?, ?, ?)",
            arguments: [
                Data(digest), end.milliseconds, use.map { Data($0.session.bytes) },
                use?.intent.map { Data($0.bytes) },
            ]
        )
        return database.changesCount == 1
    }
}
