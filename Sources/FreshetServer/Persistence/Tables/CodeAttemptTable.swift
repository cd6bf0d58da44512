// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire

/// Reads and writes codes that were sent.
enum CodeAttemptTable {
    static func find(_ id: String, in database: any SQLConnection) throws -> CodeAttemptRow? {
        let sql = """
            SELECT id, email, code_hash, expires_at, failures, session, intent, purpose FROM code_attempts WHERE id = ?
            """
        return try database.row(sql, [id], attempt)
    }

    /// The attempt to sign in of an address that may still be used: there is one at most, because a new one cancels it.
    static func open(of email: EmailAddress, at now: Timestamp, in database: any SQLConnection) throws -> String? {
        let sql = """
            SELECT id FROM code_attempts WHERE email = ? AND session IS NULL AND expires_at > ? AND purpose = 'login'
            """
        return try database.row(sql, [email, now]) { try $0[0] }
    }

    /// Stores a new attempt, which cancels earlier unused ones of its address and purpose, and forgets those
    /// whose time is over.
    static func insert(
        _ row: CodeAttemptRow,
        forgettingBefore moment: Timestamp,
        in database: any SQLConnection
    ) throws {
        try database.execute(
            "DELETE FROM code_attempts WHERE expires_at <= ? OR (email = ? AND purpose = ? AND session IS NULL)",
            [moment, row.email, row.purpose.rawValue]
        )
        try database.execute(
            "INSERT INTO code_attempts (id, email, code_hash, expires_at, failures, purpose) VALUES (?, ?, ?, ?, ?, ?)",
            [row.id, row.email, row.codeHash, row.expiresAt, row.failures, row.purpose.rawValue]
        )
    }

    static func update(_ row: CodeAttemptRow, in database: any SQLConnection) throws {
        try database.execute(
            "UPDATE code_attempts SET failures = ?, session = ?, intent = ? WHERE id = ?",
            [row.failures, row.use?.session, row.use?.intent, row.id]
        )
    }

    /// Deletes attempts whose time was over before a moment.
    ///
    /// - Returns: how many, `batch` at most.
    static func forget(before moment: Timestamp, batch: Int, in database: any SQLConnection) throws -> Int {
        let old = "SELECT id FROM code_attempts WHERE expires_at < ? LIMIT ?" + database.skippingLocked
        return try database.execute("DELETE FROM code_attempts WHERE id IN (\(old))", [moment, batch])
    }

    private static func attempt(_ row: any SQLRow) throws -> CodeAttemptRow {
        guard let email = EmailAddress(try row[1] as String) else {
            throw SQLError.damaged("a code without an address")
        }
        let sessionBytes: [UInt8]? = try row[5]
        let intentBytes: [UInt8]? = try row[6]
        let session = sessionBytes.flatMap { SessionID(bytes: $0) }
        let intent = intentBytes.flatMap { IntentHash(bytes: $0) }
        // A code whose use cannot be read must not pass for an unused one.
        guard (session == nil) == (sessionBytes == nil), (intent == nil) == (intentBytes == nil),
            let purpose = CodeAttemptRow.Purpose(rawValue: try row[7])
        else {
            throw SQLError.damaged("a code that cannot be read")
        }
        return CodeAttemptRow(
            id: try row[0],
            email: email,
            purpose: purpose,
            codeHash: try row[2],
            expiresAt: try row[3],
            failures: try row[4],
            use: session.map { CodeAttemptRow.Use(session: $0, intent: intent) }
        )
    }
}
