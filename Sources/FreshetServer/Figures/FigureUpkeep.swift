// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine

/// Puts old minutes together into hours, and forgets old hours; a little at a time.
struct FigureUpkeep: Sendable {
    /// What the table for such notes calls the minute before which all is by the hour.
    private static let note = "figures_by_hour_before"

    let database: any ServerDatabase

    /// - Parameters:
    ///   - now: The time.
    ///   - mayGoOn: Asked before each step.
    /// - Returns: how many rows were forgotten.
    /// - Throws: What the database says.
    func tidy(at now: Timestamp, while mayGoOn: () -> Bool) async throws -> Int {
        let end = (now.minute - FigureSpan.minutesKept) / 60 * 60
        var next = try await database.read { try Self.done(in: $0) }
        while next < end, mayGoOn() {
            let start = next
            next = try await database.writeAside { database in
                let hour = try FigureTable.rollUp(from: start, before: end, in: database)
                let next = hour.map { $0 + 60 } ?? end
                try Self.remember(next, in: database)
                return next
            }
            try await Task.sleep(for: Housekeeper.pause)
        }
        var forgotten = 0
        while mayGoOn() {
            let rows = try await database.writeAside { database in
                try FigureTable.forget(before: now.minute - FigureSpan.kept, in: database)
            }
            if rows == 0 { break }
            forgotten += rows
            try await Task.sleep(for: Housekeeper.pause)
        }
        return forgotten
    }

    private static func done(in database: any SQLConnection) throws -> Int64 {
        try HousekeepingTable.get(note, in: database) ?? 0
    }

    private static func remember(_ minute: Int64, in database: any SQLConnection) throws {
        try HousekeepingTable.set(note, minute, in: database)
    }
}
