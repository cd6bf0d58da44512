// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine

/// Aggregates old minutes into hours and deletes old hours, in small steps.
struct MetricsRollup: Sendable {
    /// The server-state key of the minute before which all metrics are aggregated by the hour.
    private static let note = "figures_by_hour_before"

    let database: any ServerDatabase

    /// Aggregates and deletes old metrics.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - shouldContinue: Called before each step.
    /// - Returns: The number of deleted rows.
    /// - Throws: The database's errors.
    func run(at now: Timestamp, while shouldContinue: () -> Bool) async throws -> Int {
        let end = (now.minute - TimeRange.minuteResolutionRetention) / 60 * 60
        var next = try await database.read { try Self.rolledUpTo(in: $0) }
        while next < end, shouldContinue() {
            let start = next
            next = try await database.backgroundWrite { database in
                let hour = try MetricsTable.rollUp(from: start, before: end, in: database)
                let next = hour.map { $0 + 60 } ?? end
                try Self.setRolledUpTo(next, in: database)
                return next
            }
            try await Task.sleep(for: CleanupService.pause)
        }
        var forgotten = 0
        while shouldContinue() {
            let rows = try await database.backgroundWrite { database in
                try MetricsTable.deleteOldest(before: now.minute - TimeRange.kept, in: database)
            }
            if rows == 0 { break }
            forgotten += rows
            try await Task.sleep(for: CleanupService.pause)
        }
        return forgotten
    }

    private static func rolledUpTo(in database: any SQLConnection) throws -> Int64 {
        try ServerStateTable.get(note, in: database) ?? 0
    }

    private static func setRolledUpTo(_ minute: Int64, in database: any SQLConnection) throws {
        try ServerStateTable.set(note, minute, in: database)
    }
}
