// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import GRDB

/// Reads and writes figures: by the minute, and after two days by the hour.
enum FigureTable {
    /// Adds to what is there: two servers of one name do not lose each other's counts.
    static func add(_ tally: [Figure: Int], minute: Int64, node: String, in database: Database) throws {
        let sql = """
            INSERT INTO figures (minute, node, name, label, value) VALUES (?, ?, ?, ?, ?) \
            ON CONFLICT (minute, node, name, label) DO UPDATE SET value = value + excluded.value
            """
        let statement = try database.cachedStatement(sql: sql)
        for (figure, value) in tally {
            try statement.execute(arguments: [minute, node, figure.name.rawValue, figure.label, value])
        }
    }

    /// Notes that a server ran in a minute; a second time changes nothing.
    static func noteUp(_ minute: Int64, node: String, in database: Database) throws {
        let sql = """
            INSERT INTO figures (minute, node, name, label, value) VALUES (?, ?, ?, '', 1) ON CONFLICT DO NOTHING
            """
        try database.cachedStatement(sql: sql).execute(arguments: [minute, node, Figure.Name.minutesUp.rawValue])
    }

    /// What all servers counted, in parts of `step` minutes.
    static func sums(from start: Int64, until end: Int64, step: Int64, in database: Database) throws -> [FigureReport
        .Sum]
    {
        let up = Figure.Name.minutesUp.rawValue
        // A minute that two servers ran in is one minute: of those the longest counts, of all else the sum.
        let sql = """
            SELECT part, name, label, sum(value) FROM (\
            SELECT minute / ?1 * ?1 AS part, name, label, value FROM figures \
            WHERE minute >= ?2 AND minute < ?3 AND name <> ?4 \
            UNION ALL \
            SELECT part, ?4, '', max(value) FROM (SELECT minute / ?1 * ?1 AS part, node, sum(value) AS value \
            FROM figures WHERE minute >= ?2 AND minute < ?3 AND name = ?4 GROUP BY 1, node) GROUP BY part\
            ) GROUP BY part, name, label
            """
        return try Row.fetchAll(database, sql: sql, arguments: [step, start, end, up]).compactMap { row in
            // A name of a later version is none of ours.
            guard let name = Figure.Name(rawValue: row[1]) else { return nil }
            return FigureReport.Sum(minute: row[0], figure: Figure(name, row[2]), value: row[3])
        }
    }

    // MARK: - Growing old

    /// Puts an hour's minutes together.
    ///
    /// - Returns: the hour that was done, by its first minute; `nil` if none before `end` is left.
    static func rollUp(from start: Int64, before end: Int64, in database: Database) throws -> Int64? {
        let sql = "SELECT min(minute) FROM figures WHERE minute >= ? AND minute < ?"
        guard let first = try Int64.fetchOne(database, sql: sql, arguments: [start, end]) else { return nil }
        let hour = first / 60 * 60
        let sums = try Row.fetchAll(
            database,
            sql: "SELECT node, name, label, sum(value) FROM figures WHERE minute >= ? AND minute < ? GROUP BY 1, 2, 3",
            arguments: [hour, hour + 60]
        )
        try database.execute(
            sql: "DELETE FROM figures WHERE minute >= ? AND minute < ?",
            arguments: [hour, hour + 60]
        )
        let statement = try database.cachedStatement(
            sql: "INSERT INTO figures (minute, node, name, label, value) VALUES (?, ?, ?, ?, ?)"
        )
        for row in sums {
            try statement.execute(
                arguments: [hour, row[0] as String, row[1] as String, row[2] as String, row[3] as Int64]
            )
        }
        return hour
    }

    /// Forgets the oldest day of figures, if it lies before a minute.
    ///
    /// - Returns: how many rows there were.
    static func forget(before end: Int64, in database: Database) throws -> Int {
        let sql = "SELECT min(minute) FROM figures"
        guard let first = try Int64.fetchOne(database, sql: sql), first < end else { return 0 }
        try database.execute(
            sql: "DELETE FROM figures WHERE minute < ?",
            arguments: [min(end, first + 24 * 60)]
        )
        return database.changesCount
    }
}
