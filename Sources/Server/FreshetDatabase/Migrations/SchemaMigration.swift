// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A migration of the database schema, with a script for SQLite and one for PostgreSQL.
///
/// Existing databases were created by these migrations, so neither a released migration nor the names that databases
/// record ever change.
package struct SchemaMigration: Equatable, Sendable, CustomStringConvertible {
    /// The database engines, each of which has its own script for a migration.
    enum Engine {
        case sqlite, postgres
    }

    /// A migration's script for one engine.
    struct Script: Equatable {
        /// The name under which the database records the executed migration.
        var recordedName: String
        var sql: String
    }

    /// The position in the history.
    ///
    /// The names that databases record have other numbers from 11 on: SQLite recorded ``compactSessions`` as 11, and
    /// PostgreSQL as 12, and both went on with 13.
    let number: Int
    /// A short description of the change.
    let name: String
    /// Whether servers of the previous version can use the database after this purely additive migration.
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

    /// Creates a migration that both engines record under one name, by default its number and name.
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
    /// All migrations, in the order of execution.
    static let all: [SchemaMigration] = [
        .initialTables, .provedAddresses, .contracts, .signInLimits, .auditTrail, .pageSessions, .metricsHistory,
        .eventStreaks, .stableEventIndexes, .sessionStreaks, .compactSessions, .keyFingerprints, .mailQueue,
        .knownNetworks, .profiles, .forgottenDevices,
    ]
}
