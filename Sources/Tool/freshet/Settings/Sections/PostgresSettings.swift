// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
import FreshetServer
import FreshetWire

/// The settings of the PostgreSQL database, and the timeout of waiting for a database at startup.
struct PostgresSettings: SettingsSection {
    static let title = "Database"

    private static let defaults = try? PostgresConfiguration("postgresql:///")

    fileprivate var address: PostgresConfiguration?
    fileprivate var connections = defaults?.connections
    fileprivate var statementTimeout = defaults?.statementTimeout
    fileprivate var connectTimeout = defaults?.connectTimeout
    fileprivate var wait: Duration?

    static let settings: [Setting] = [
        Setting(
            "database",
            "A PostgreSQL database, such as postgresql://freshet@db/freshet",
            details:
                "An address with a password belongs in `FRESHET_DATABASE`: every user of the machine can read a command line.",
            see: "PostgreSQL",
            \.postgres.address,
            .postgresAddress,
            defaultNote: "SQLite in the data directory",
            masking: .database
        ),
        Setting(
            "database-connections",
            "The number of connections to PostgreSQL",
            details:
                "A quarter of them is for refreshes, many of which share one, and a half for what must be durable.",
            \.postgres.connections,
            .number(in: 3...1000),
            defaultNote: "three for each processor, 4 to 32"
        ),
        Setting(
            "database-timeout",
            "The timeout of a statement in PostgreSQL",
            \.postgres.statementTimeout,
            .positiveDuration
        ),
        Setting(
            "database-connect-timeout",
            "The timeout of connecting to each PostgreSQL host, in whole seconds",
            \.postgres.connectTimeout,
            .duration(atLeast: .seconds(1))
        ),
        Setting(
            "database-wait",
            "A starting server waits this long for a PostgreSQL database that does not respond",
            details: "With SQLite: for another server to release the data directory.",
            \.databaseWait,
            .duration,
            defaultNote: "60s for PostgreSQL, 15s for SQLite"
        ),
        Setting(
            "new-database",
            "Uses the keys with another database from now on; give it for one start only",
            see: "Keys",
            \.server.allowsNewDatabase,
            .flag
        ),
    ]

    var configuration: PostgresConfiguration? {
        guard var database = address else { return nil }
        database.connections = connections ?? database.connections
        database.statementTimeout = statementTimeout ?? database.statementTimeout
        database.connectTimeout = connectTimeout ?? database.connectTimeout
        database.startupTimeout = wait ?? database.startupTimeout
        return database
    }
}

extension ServeSettings {
    var databaseWait: Duration {
        get { postgres.wait ?? postgres.address?.startupTimeout ?? server.lockTimeout }
        set { postgres.wait = newValue }
    }
}

extension SettingFormat where Value == PostgresConfiguration? {
    /// A PostgreSQL address; an empty text selects SQLite.
    fileprivate static var postgresAddress: Self {
        Self(
            "url",
            parse: { text throws(SettingError) in
                if text.isEmpty { return nil }
                do throws(DatabaseStartupError) { return try PostgresConfiguration(text) } catch {
                    if case .unknownPostgresOption(let name) = error {
                        throw SettingError(text, "has an unknown option, '\(name)'")
                    }
                    throw SettingError(text, "is not an address such as postgresql://USER@HOST/NAME")
                }
            },
            text: { $0?.mask }
        )
    }
}
