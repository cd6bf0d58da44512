// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import GRDB

/// Reads and writes codes that were sent.
enum CodeAttemptTable {
    static func find(_ id: String, in database: Database) throws -> CodeAttemptRow? {
        let sql = """
            SELECT id, email, code_hash, expires_at, failures, session, intent, purpose FROM code_attempts WHERE id = ?
            """
        return try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [id]).map(attempt)
    }

    /// The attempt to sign in of an address that may still be used: there is one at most, because a new one cancels it.
    static func open(of email: EmailAddress, at now: Timestamp, in database: Database) throws -> String? {
        let sql = """
            SELECT id FROM code_attempts WHERE email = ? AND session IS NULL AND expires_at > ? AND purpose = 'login'
            """
        return try String.fetchOne(
            database.cachedStatement(sql: sql),
            arguments: [email.text, now.milliseconds]
        )
    }

    /// Stores a new attempt, which cancels earlier unused ones of its address and purpose, and forgets those
    /// whose time is over.
    static func insert(_ row: CodeAttemptRow, at now: Timestamp, in database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM code_attempts WHERE expires_at <= ? OR (email = ? AND purpose = ? AND session IS NULL)
                """,
            arguments: [now.milliseconds, row.email.text, row.purpose.rawValue]
        )
        try database.execute(
            sql: """
                INSERT INTO code_attempts (id, email, code_hash, expires_at, failures, purpose) VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                row.id, row.email.text, Data(row.codeHash), row.expiresAt.milliseconds, row.failures,
                row.purpose.rawValue,
            ]
        )
    }

    static func update(_ row: CodeAttemptRow, in database: Database) throws {
        try database.execute(
            sql: "UPDATE code_attempts SET failures = ?, session = ?, intent = ? WHERE id = ?",
            arguments: [
                row.failures, row.use.map { Data($0.session.bytes) }, row.use?.intent.map { Data($0.bytes) }, row.id,
            ]
        )
    }

    /// Deletes attempts whose time was over before a moment.
    ///
    /// - Returns: how many, `batch` at most.
    static func forget(before moment: Timestamp, batch: Int, in database: Database) throws -> Int {
        let old = "SELECT id FROM code_attempts WHERE expires_at < ? LIMIT ?"
        try database.execute(
            sql: "DELETE FROM code_attempts WHERE id IN (\(old))",
            arguments: [moment.milliseconds, batch]
        )
        return database.changesCount
    }

    private static func attempt(_ row: Row) throws -> CodeAttemptRow {
        guard let email = EmailAddress(row[1] as String) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a code without an address")
        }
        let (sessionBytes, intentBytes): (Data?, Data?) = (row[5], row[6])
        let session = sessionBytes.flatMap { SessionID(bytes: $0) }
        let intent = intentBytes.flatMap { IntentHash(bytes: $0) }
        // A code whose use cannot be read must not pass for an unused one.
        guard (session == nil) == (sessionBytes == nil), (intent == nil) == (intentBytes == nil),
            let purpose = CodeAttemptRow.Purpose(rawValue: row[7])
        else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a code that cannot be read")
        }
        return CodeAttemptRow(
            id: row[0],
            email: email,
            purpose: purpose,
            codeHash: Array(row[2] as Data),
            expiresAt: Timestamp(milliseconds: row[3]),
            failures: row[4],
            use: session.map { CodeAttemptRow.Use(session: $0, intent: intent) }
        )
    }
}
