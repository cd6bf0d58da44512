// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Logging

/// Why a server that starts is not ready yet, because of its database.
package enum StartupProgress: Equatable, Sendable {
    /// The database cannot be reached, for this reason, and is asked again.
    case databaseUnreachable(String)
    /// These steps of the tables' history are missing, and are taken first: with many rows some take minutes.
    case migratesTables([SchemaMigration])
    /// Another server works on the data folder, and may be about to stop; this is the lock's file.
    case waitsForLock(String)

    package func log(_ log: Logger) {
        switch self {
        case .databaseUnreachable(let reason):
            log.warning("the database does not answer yet", metadata: ["error": "\(reason)"])
        case .migratesTables(let steps):
            let names = steps.map(\.description).joined(separator: "; ")
            log.notice("the tables are brought up to date first", metadata: ["steps": "\(names)"])
        case .waitsForLock(let path):
            log.notice("another server works on this data folder: waiting for its lock", metadata: ["file": "\(path)"])
        }
    }
}
