// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine

/// Puts old minutes together into hours, and forgets old hours; a little at a time.
struct MetricsRollup: Sendable {
    /// What the table for such notes calls the minute before which all is by the hour.
    private static let note = "figures_by_hour_before"

    let database: any ServerDatabase

    /// - Parameters:
    ///   - now: The time.
    ///   - shouldContinue: Asked before each step.
    /// - Returns: how many rows were forgotten.
    /// - Throws: What the database says.
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
