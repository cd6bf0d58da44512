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

    static func set(_ key: String, _ account: AttemptBudget.Account, in database: any SQLConnection) throws {
        let sql = """
            INSERT INTO attempt_budgets (key, full_at) VALUES (?, ?) \
            ON CONFLICT (key) DO UPDATE SET full_at = excluded.full_at
            """
        try database.execute(sql, [key, account.fullAt])
    }

    /// Forgets those that are full again.
    static func sweep(at now: Timestamp, in database: any SQLConnection) throws {
        try database.execute("DELETE FROM attempt_budgets WHERE full_at <= ?", [now])
    }
}
