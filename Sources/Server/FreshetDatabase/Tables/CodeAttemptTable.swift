// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetEngine
package import FreshetWire

package typealias VerifiedCode = CodeAttemptTable.VerifiedCode

/// Reads and writes the codes that were sent.
package enum CodeAttemptTable {
    static func find(_ id: String, in database: any SQLConnection) throws -> CodeAttemptRow? {
        let sql = """
            SELECT id, email, code_hash, expires_at, failures, session, intent, purpose FROM code_attempts WHERE id = ?
            """
        return try database.row(sql, [id], attempt)
    }

    /// Returns the sign-in attempts of an address that are neither used nor expired.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - origin: The origin whose attempts come first. Other attempts are included, because a client may have changed
    ///     networks since, or named its device only when it requested the code.
    ///   - now: The current time.
    ///   - database: The connection.
    /// - Returns: The attempts' identifiers, the newest first: ``maximumOpen`` at most.
    /// - Throws: `SQLError`.
    package static func open(
        of email: EmailAddress,
        from origin: String?,
        at now: Timestamp,
        in database: any SQLConnection
    ) throws -> [String] {
        let sql = """
            SELECT id FROM code_attempts WHERE email = ? AND session IS NULL AND expires_at > ? AND purpose = 'login' \
            ORDER BY CASE WHEN origin = ? THEN 0 WHEN origin LIKE 'session %' OR origin LIKE 'browser %' THEN 1 ELSE 2 END, \
            expires_at DESC LIMIT \(maximumOpen)
            """
        return try database.rows(sql, [email, now, origin]) { try $0[0] }
    }

    /// The maximum number of attempts that are returned.
    ///
    /// The rate limits allow fewer codes for one address within the lifetime of a code.
    static let maximumOpen = 64

    /// Returns whether an attempt is stored, including used and recently expired ones for retries.
    package static func has(_ id: String, in database: any SQLConnection) throws -> Bool {
        try database.has("SELECT 1 FROM code_attempts WHERE id = ?", [id])
    }

    /// Stores a new attempt, which replaces earlier unused ones of its address, purpose and origin.
    ///
    /// It also deletes attempts that expired before a moment. A request of another origin replaces nothing: an
    /// attacker that requests codes must not cancel the owner's.
    package static func insert(
        _ row: CodeAttemptRow,
        from origin: String?,
        deletingExpiredBefore moment: Timestamp,
        in database: any SQLConnection
    ) throws {
        try database.execute(
            """
            DELETE FROM code_attempts WHERE expires_at <= ? \
            OR (email = ? AND purpose = ? AND session IS NULL AND coalesce(origin, '') = ?)
            """,
            [moment, row.email, row.purpose?.rawValue, origin ?? ""]
        )
        try database.execute(
            """
            INSERT INTO code_attempts (id, email, code_hash, expires_at, failures, purpose, origin) \
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [row.id, row.email, row.codeHash, row.expiresAt, row.failures, row.purpose?.rawValue, origin]
        )
    }

    /// A code that the current transaction accepted.
    package struct VerifiedCode: ~Copyable {
        package let row: CodeAttemptRow

        fileprivate init(_ row: CodeAttemptRow) { self.row = row }
    }

    /// The result of a code's evaluation in a transaction.
    package enum Evaluation: ~Copyable {
        case accepted(VerifiedCode)
        /// The code opened this session, and the same client retries.
        case repeated(SessionID)
        /// The code is wrong, used, expired or for another purpose; a wrong one was counted.
        case refused
    }

    /// Evaluates a code, and counts a wrong one.
    ///
    /// - Throws: `unavailable` if only a clock that is not trusted shows that the code has expired, or the database's
    ///   error.
    package static func evaluate(
        _ attempt: String,
        for purpose: CodeAttemptRow.Purpose,
        codeHash: [UInt8],
        intent: IntentHash? = nil,
        _ policy: CodePolicy,
        at clock: ClockReading,
        in database: any SQLConnection
    ) throws -> Evaluation {
        try evaluate([(attempt, codeHash)], for: purpose, intent: intent, policy, at: clock, in: database)
    }

    /// Evaluates a code against several attempts, and counts a code that matches none as a failure of each.
    ///
    /// - Throws: `unavailable` if only a clock that is not trusted shows that the code has expired, or the database's
    ///   error.
    package static func evaluate(
        _ candidates: [(attempt: String, codeHash: [UInt8])],
        for purpose: CodeAttemptRow.Purpose,
        intent: IntentHash? = nil,
        _ policy: CodePolicy,
        at clock: ClockReading,
        in database: any SQLConnection
    ) throws -> Evaluation {
        var counted: [CodeAttemptRow] = []
        var isUndecided = false
        for (attempt, codeHash) in candidates {
            guard let row = try find(attempt, in: database), row.purpose == purpose else { continue }
            switch policy.verify(row, codeHash: codeHash, intent: intent, at: clock) {
            case .accepted: return .accepted(VerifiedCode(row))
            case .repeated(let session): return .repeated(session)
            case .refused(let row): if let row { counted.append(row) }
            case .undecided: isUndecided = true
            }
        }
        if isUndecided { throw APIError.clockNotTrusted }
        for row in counted { try update(row, in: database) }
        return .refused
    }

    /// Records the use of a code, which is not accepted again.
    package static func use(
        _ code: borrowing VerifiedCode,
        for session: SessionID,
        intent: IntentHash? = nil,
        in database: any SQLConnection
    ) throws {
        var row = code.row
        row.use = CodeAttemptRow.Use(session: session, intent: intent)
        try update(row, in: database)
    }

    private static func update(_ row: CodeAttemptRow, in database: any SQLConnection) throws {
        try database.execute(
            "UPDATE code_attempts SET failures = ?, session = ?, intent = ? WHERE id = ?",
            [row.failures, row.use?.session, row.use?.intent, row.id]
        )
    }

    /// Deletes attempts that expired before a moment.
    ///
    /// - Returns: The number of deleted rows, at most `batch`.
    package static func forget(before moment: Timestamp, batch: Int, in database: any SQLConnection) throws -> Int {
        let old = "SELECT id FROM code_attempts WHERE expires_at < ? LIMIT ?" + database.skippingLocked
        return try database.execute("DELETE FROM code_attempts WHERE id IN (\(old))", [moment, batch])
    }

    private static func attempt(_ row: any SQLRow) throws -> CodeAttemptRow {
        let sessionBytes: [UInt8]? = try row[5]
        let intentBytes: [UInt8]? = try row[6]
        let session = sessionBytes.flatMap { SessionID(bytes: $0) }
        let intent = intentBytes.flatMap { IntentHash(bytes: $0) }
        // A code whose use cannot be read must not count as unused.
        guard (session == nil) == (sessionBytes == nil), (intent == nil) == (intentBytes == nil) else {
            throw SQLError.damaged("a code that cannot be read")
        }
        return CodeAttemptRow(
            id: try row[0],
            email: EmailAddress(stored: try row[1]),
            purpose: CodeAttemptRow.Purpose(rawValue: try row[7]),
            codeHash: try row[2],
            expiresAt: try row[3],
            failures: try row[4],
            use: session.map { CodeAttemptRow.Use(session: $0, intent: intent) }
        )
    }
}
