// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

/// Reads and writes how much of each budget is used up.
enum AttemptBudgetTable {
    static func all(at now: Timestamp, in database: any SQLConnection) throws -> [String: AttemptBudget.Account] {
        let sql = "SELECT key, full_at FROM attempt_budgets WHERE full_at > ?"
        let rows = try database.rows(sql, [now]) { row -> (String, AttemptBudget.Account) in
            (try row[0], AttemptBudget.Account(fullAt: try row[1]))
        }
        return Dictionary(rows) { $1 }
    }

    /// No budget takes longer to be full again; a later time was written by a clock that was wrong.
    private static let longest = Duration.seconds(86_400)

    /// Uses up more of a budget.
    ///
    /// - Returns: when it is full again, with what others have used up of it.
    static func add(
        _ span: Duration,
        to key: String,
        at now: Timestamp,
        in database: any SQLConnection
    ) throws -> Timestamp {
        let sql = """
            INSERT INTO attempt_budgets (key, full_at) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE \
            SET full_at = CASE WHEN attempt_budgets.full_at > ?3 AND attempt_budgets.full_at <= ?5 THEN attempt_budgets.full_at + ?4 ELSE ?2 END \
            RETURNING full_at
            """
        let end = now + span
        let values: [(any SQLConvertible)?] = [key, end, now, end.milliseconds - now.milliseconds, now + longest]
        return try database.row(sql, values) { try $0[0] } ?? end
    }

    /// Forgets those that are full again.
    static func sweep(at now: Timestamp, in database: any SQLConnection) throws {
        try database.execute("DELETE FROM attempt_budgets WHERE full_at <= ?", [now])
    }
}
