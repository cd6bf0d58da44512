// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A step in the history of the database's tables, the same for SQLite and PostgreSQL.
///
/// Databases that exist were made by these steps, so a released one never changes, and neither do the names that databases
/// record.
package struct SchemaMigration: Equatable, Sendable, CustomStringConvertible {
    /// The databases that have a script of their own for each step.
    package enum Engine {
        case sqlite, postgres
    }

    /// What is executed on one kind of database.
    struct Script: Equatable {
        /// The name under which the database records that it has been executed.
        var recordedName: String
        var sql: String
    }

    /// Its place in the history.
    ///
    /// There is no 11: SQLite recorded ``compactSessions`` under that number, and PostgreSQL under 12.
    package let number: Int
    /// What it changes.
    package let name: String
    /// Whether a server of the version before goes on working: the step adds, and changes nothing that such a server uses.
    package let isOnlineSafe: Bool
    private let sqlite: Script
    private let postgres: Script

    init(
        number: Int,
        name: String,
        recordedAs names: (sqlite: String, postgres: String),
        isOnlineSafe: Bool,
        sqlite: String,
        postgres: String
    ) {
        self.number = number
        self.name = name
        self.isOnlineSafe = isOnlineSafe
        self.sqlite = Script(recordedName: names.sqlite, sql: sqlite)
        self.postgres = Script(recordedName: names.postgres, sql: postgres)
    }

    /// A step that both databases record under one name: its number and its name, unless an earlier version chose another.
    init(
        number: Int,
        name: String,
        recordedAs recordedName: String? = nil,
        isOnlineSafe: Bool,
        sqlite: String,
        postgres: String
    ) {
        let recordedName = recordedName ?? "\(number) \(name)"
        self.init(
            number: number,
            name: name,
            recordedAs: (recordedName, recordedName),
            isOnlineSafe: isOnlineSafe,
            sqlite: sqlite,
            postgres: postgres
        )
    }

    func script(for engine: Engine) -> Script {
        switch engine {
        case .sqlite: sqlite
        case .postgres: postgres
        }
    }

    /// The number and the name.
    package var description: String { "\(number) \(name)" }
}

extension SchemaMigration {
    /// All steps, in the order in which they are executed.
    package static let all: [SchemaMigration] = [
        .initialTables, .provedAddresses, .contracts, .signInLimits, .auditTrail, .pageSessions, .metricsHistory,
        .eventStreaks, .stableEventIndexes, .sessionStreaks, .compactSessions, .keyFingerprints, .mailQueue,
        .knownNetworks, .profiles,
    ]
}
