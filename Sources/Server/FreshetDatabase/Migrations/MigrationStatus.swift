// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A migration, and whether a database has executed it.
package struct MigrationStatus: Equatable, Sendable {
    package var migration: SchemaMigration
    package var isApplied: Bool

    /// Returns the status of every migration, given the names that a database has recorded.
    ///
    /// - Parameters:
    ///   - recorded: The recorded names.
    ///   - engine: The engine that recorded them.
    /// - Returns: The status of every migration that this version knows.
    /// - Throws: `DatabaseStartupError.newerSchema` for a name that this version does not know.
    static func all(recorded: Set<String>, on engine: SchemaMigration.Engine) throws(DatabaseStartupError)
        -> [MigrationStatus]
    {
        let known = SchemaMigration.all.map { $0.script(for: engine).recordedName }
        if let unknown = recorded.subtracting(known).min() { throw .newerSchema(unknown) }
        return zip(SchemaMigration.all, known).map { MigrationStatus(migration: $0, isApplied: recorded.contains($1)) }
    }
}

extension [MigrationStatus] {
    /// The migrations that a database lacks, up to `last` or all.
    func missing(upTo last: SchemaMigration? = nil) -> [SchemaMigration] {
        filter { !$0.isApplied }.map(\.migration).filter { $0.number <= last?.number ?? .max }
    }
}
