// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import GRDB

/// The state of a database's tables, and how they are brought up to date.
package struct SchemaDesk: Sendable {
    /// One step of the tables' history.
    package struct Step: Equatable, Sendable {
        package var name: String
        package var isDone: Bool
        /// Whether an older server may go on working on the database after it.
        package var isOnlineSafe: Bool
    }

    private let file: URL

    package init(in folder: URL) {
        file = folder.appending(path: "freshet.sqlite")
    }

    /// Every step that this version knows.
    ///
    /// - Throws: `StartupError` without a database, or for one that a newer version wrote.
    package func steps() throws -> [Step] {
        guard FileManager.default.fileExists(atPath: file.path) else { throw StartupError.noDatabase(file.path) }
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? database.close() }
        let migrator = SQLiteSchema.migrator
        let applied = try database.read { try migrator.appliedIdentifiers($0) }
        if let unknown = applied.subtracting(migrator.migrations).min() { throw StartupError.newerSchema(unknown) }
        return migrator.migrations.map { name in
            Step(name: name, isDone: applied.contains(name), isOnlineSafe: SQLiteSchema.onlineSafe.contains(name))
        }
    }

    /// Takes the steps that are missing.
    ///
    /// - Returns: their names.
    package func migrate() throws -> [String] {
        let missing = try steps().filter { !$0.isDone }.map(\.name)
        guard !missing.isEmpty else { return [] }
        try SQLiteDatabase(in: file.deletingLastPathComponent()).close()
        return missing
    }
}
