// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import FreshetDatabase
import FreshetEngine
import FreshetServer

/// The settings of `freshet serve` that say where its database is and how it is worked with.
struct ServeDatabaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A PostgreSQL database, such as postgresql://freshet@db/freshet (default: SQLite in the data folder).",
            discussion: "An address with a password belongs into FRESHET_DATABASE: everybody sees a command line."
        )
    )
    var database: String?

    @Option(
        name: .customLong("database-connections"),
        help: "Connections to PostgreSQL (default: three for each processor, 4 to 32)."
    )
    var connections: Int?

    @Option(name: .customLong("database-timeout"), help: "How long one statement may take there (default: 10s).")
    var timeout: String?

    @Option(
        name: .customLong("database-connect-timeout"),
        help: "How long each of its hosts may take to let the server in, in whole seconds (default: 5s)."
    )
    var connectTimeout: String?

    @Option(
        name: .customLong("database-wait"),
        help: ArgumentHelp(
            "How long a server that starts waits for a database that does not answer (default: 60s).",
            discussion: "For SQLite: for another server to release the data folder (default: 15s)."
        )
    )
    var wait: String?

    @Flag(
        name: .customLong("new-database"),
        help: "Uses the keys with another database than before; once, after a database was given up."
    )
    var newDatabase = false

    /// What the command line says, by name.
    var settings: [String: String?] {
        [
            "database": database, "database-connections": connections.map(String.init), "database-timeout": timeout,
            "database-connect-timeout": connectTimeout, "database-wait": wait,
            "new-database": newDatabase ? "true" : nil,
        ]
    }

    static func read(_ reader: SettingsReader) throws -> PostgresConfiguration? {
        guard let address = reader.text("database"), !address.isEmpty else { return nil }
        var database: PostgresConfiguration
        do { database = try PostgresConfiguration(address) } catch { throw ToolError(error) }
        database.connections = try reader.number("database-connections", in: 2...1000) ?? database.connections
        database.statementTimeout = try length(reader, "database-timeout") ?? database.statementTimeout
        database.connectTimeout = try length(reader, "database-connect-timeout") ?? database.connectTimeout
        database.startupTimeout = try reader.duration("database-wait") ?? database.startupTimeout
        return database
    }

    private static func length(_ reader: SettingsReader, _ name: String) throws -> Duration? {
        let length = try reader.duration(name)
        if let length, length <= .zero { throw ToolError.usage("\(name): it must be longer than nothing") }
        return length
    }
}
