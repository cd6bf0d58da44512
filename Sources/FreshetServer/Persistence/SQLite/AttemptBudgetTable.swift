// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import GRDB

/// Reads and writes how much of each budget is used up.
enum AttemptBudgetTable {
    static func all(at now: Timestamp, in database: Database) throws -> [String: AttemptBudget.Account] {
        let sql = "SELECT key, full_at FROM attempt_budgets WHERE full_at > ?"
        let rows = try Row.fetchAll(database, sql: sql, arguments: [now.milliseconds])
        return Dictionary(
            rows.map { ($0[0] as String, AttemptBudget.Account(fullAt: Timestamp(milliseconds: $0[1]))) }
        ) { $1 }
    }

    static func set(_ key: String, _ account: AttemptBudget.Account, in database: Database) throws {
        let sql = "INSERT INTO attempt_budgets (key, full_at) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET full_at = ?"
        let fullAt = account.fullAt.milliseconds
        try database.cachedStatement(sql: sql).execute(arguments: [key, fullAt, fullAt])
    }

    /// Forgets those that are full again.
    static func sweep(at now: Timestamp, in database: Database) throws {
        try database.execute(sql: "DELETE FROM attempt_budgets WHERE full_at <= ?", arguments: [now.milliseconds])
    }
}
