// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine

/// Reads and writes metrics: one row per series and minute, and after two days one per hour.
package enum MetricsTable {
    /// Adds to the stored counts, so that two servers with the same name do not overwrite each other's.
    package static func add(_ tally: [MetricSeries: Int], minute: Int64, node: String, in database: any SQLConnection)
        throws
    {
        let sql = """
            INSERT INTO figures (minute, node, name, label, value) VALUES (?, ?, ?, ?, ?) \
            ON CONFLICT (minute, node, name, label) DO UPDATE SET value = figures.value + excluded.value
            """
        for (figure, value) in tally {
            try database.execute(sql, [minute, node, figure.name.rawValue, figure.label, value])
        }
    }

    /// Records that a server ran in a minute; a repetition changes nothing.
    package static func recordUptime(_ minute: Int64, node: String, in database: any SQLConnection) throws {
        let sql = """
            INSERT INTO figures (minute, node, name, label, value) VALUES (?, ?, ?, '', 1) ON CONFLICT DO NOTHING
            """
        try database.execute(sql, [minute, node, MetricSeries.Name.uptimeMinutes.rawValue])
    }

    /// Returns the sums over all servers, in intervals of `step` minutes.
    package static func sums(from start: Int64, until end: Int64, step: Int64, in database: any SQLConnection) throws
        -> [MetricsReport
        .Sum]
    {
        let up = MetricSeries.Name.uptimeMinutes.rawValue
        // Uptimes of several servers are combined by their maximum, everything else by the sum.
        let sql = """
            SELECT part, name, label, CAST(sum(value) AS BIGINT) FROM (\
            SELECT minute / ?1 * ?1 AS part, name, label, value FROM figures \
            WHERE minute >= ?2 AND minute < ?3 AND name <> ?4 \
            UNION ALL \
            SELECT part, ?4, '', max(value) FROM (SELECT minute / ?1 * ?1 AS part, node, sum(value) AS value \
            FROM figures WHERE minute >= ?2 AND minute < ?3 AND name = ?4 GROUP BY 1, node) AS nodes GROUP BY part\
            ) AS parts GROUP BY part, name, label
            """
        return try database.rows(sql, [step, start, end, up]) { row -> MetricsReport.Sum? in
            // A later version may have stored a name that this version does not know.
            guard let name = MetricSeries.Name(rawValue: try row[1]) else { return nil }
            return MetricsReport.Sum(minute: try row[0], figure: MetricSeries(name, try row[2]), value: try row[3])
        }.compactMap(\.self)
    }

    // MARK: - Retention

    /// Merges the minutes of one hour.
    ///
    /// - Returns: The first minute of the merged hour; `nil` if none before `end` is left.
    package static func rollUp(from start: Int64, before end: Int64, in database: any SQLConnection) throws -> Int64? {
        let sql = "SELECT min(minute) FROM figures WHERE minute >= ? AND minute < ?"
        guard let first = try database.number(sql, [start, end]) else { return nil }
        let hour = first / 60 * 60
        let sums = try database.rows(
            """
            SELECT node, name, label, CAST(sum(value) AS BIGINT) FROM figures WHERE minute >= ? AND minute < ? \
            GROUP BY node, name, label
            """,
            [hour, hour + 60]
        ) { row -> [any SQLConvertible] in
            [hour, try row[0] as String, try row[1] as String, try row[2] as String, try row[3] as Int64]
        }
        try database.execute("DELETE FROM figures WHERE minute >= ? AND minute < ?", [hour, hour + 60])
        for sum in sums {
            try database.execute("INSERT INTO figures (minute, node, name, label, value) VALUES (?, ?, ?, ?, ?)", sum)
        }
        return hour
    }

    /// Deletes the oldest day of metrics, but nothing from `end` on.
    ///
    /// - Returns: The number of deleted rows.
    package static func deleteOldest(before end: Int64, in database: any SQLConnection) throws -> Int {
        guard let first = try database.number("SELECT min(minute) FROM figures"), first < end else { return 0 }
        return try database.execute("DELETE FROM figures WHERE minute < ?", [min(end, first + 24 * 60)])
    }
}
