// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A migration as a version executed it before SQLite and PostgreSQL shared one list.
///
/// Databases in use were made by these texts, so they never change.
struct EarlierMigration {
    /// The name that a database has recorded.
    var name: String
    var sql: String

    /// Reads a text in which each migration begins with a line `-- migration:` and its recorded name.
    static func parsed(_ text: String) -> [EarlierMigration] {
        text.split(separator: "-- migration: ").map { part in
            let lines = part.split(separator: "\n", maxSplits: 1)
            return EarlierMigration(name: String(lines[0]), sql: String(lines[1]))
        }
    }
}
