// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Logging

/// A reason for a starting server to wait for its database.
package enum StartupProgress: Equatable, Sendable {
    /// The database cannot be reached, for this reason, and the server retries.
    case databaseUnreachable(String)
    /// These migrations are missing and are executed first, which may take minutes for a large table.
    case migratesTables([SchemaMigration])
    /// Another client, such as a backup, uses a table that a migration changes; the server retries.
    case waitsForTables
    /// Another server uses the data folder, and may be about to stop; the value is the lock's file.
    case waitsForLock(String)

    package func log(_ log: Logger) {
        switch self {
        case .databaseUnreachable(let reason):
            log.warning("the database does not answer yet", metadata: ["error": "\(reason)"])
        case .migratesTables(let steps):
            let names = steps.map(\.description).joined(separator: "; ")
            log.notice("the tables are brought up to date first", metadata: ["steps": "\(names)"])
        case .waitsForTables:
            log.notice("another client of the database, such as a backup, uses the tables: waiting for its end")
        case .waitsForLock(let path):
            log.notice("another server works on this data folder: waiting for its lock", metadata: ["file": "\(path)"])
        }
    }
}
