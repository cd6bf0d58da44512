// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetSystem

/// An error of the database that prevents a server from starting.
package enum DatabaseStartupError: StartupError, Equatable {
    case newerSchema(String)
    case olderSchema(String)
    case noDatabase(String)
    /// Another server uses the data folder's database.
    case folderInUse(String)
    case unsafeDatabase(String)
    /// Citus distributes these tables.
    case distributedTables([String])
    case notDurable
    /// PostgreSQL confirms commits of this user or database before they are on disk.
    case postgresNotDurable
    /// PostgreSQL cannot store every text in this encoding.
    case postgresEncoding(String)
    case notAPostgresAddress
    /// libpq knows no option with this name.
    case unknownPostgresOption(String)
    /// The database is unreachable or refuses the connection, for the given reason.
    case database(String)
    /// A file that is to be restored is no intact database of a server.
    case damagedCopy(String)
    /// A file that is to be restored has a WAL.
    case copyInUse(String)
    /// The database has its own backup program.
    case backupUnsupported

    var cause: StartupErrorCause {
        switch self {
        case .notAPostgresAddress, .unknownPostgresOption, .backupUnsupported: .setting
        default: .storage
        }
    }

    package var description: String {
        switch self {
        case .newerSchema(let name):
            "the database was written by a newer version (migration \(name)); a schema never goes back: run that version, or restore a backup"
        case .olderSchema(let name):
            "the database is of an older version (migration \(name) is missing); freshet migrate up brings it up to date"
        case .noDatabase(let path): "\(path): there is no database"
        case .folderInUse(let path):
            "\(path): another freshet serve works on the SQLite database of this data folder; stop that one, give this one a "
                + "folder of its own, or let both share a PostgreSQL database (--database)"
        case .unsafeDatabase(let path):
            "\(path): not a file of this user alone; \(PrivateFiles.remedy(path, mode: "0600"))"
        case .distributedTables(let names):
            "Citus distributes \(names.joined(separator: ", ")), which Freshet does not support: endings and sign-ins could be "
                + "lost or contradict each other; use a database whose tables stay on one node (undistribute_table)"
        case .notDurable: "SQLite does not keep synchronous=FULL: a crash could undo a logout"
        case .postgresNotDurable:
            "synchronous_commit is off for this user or database: a crash could undo a logout; set it to on or remote_apply"
        case .postgresEncoding(let name):
            "the database has the encoding \(name), which cannot store every text; create it with ENCODING 'UTF8' TEMPLATE template0"
        case .notAPostgresAddress: "a database's address looks like postgresql://USER@HOST/NAME"
        case .unknownPostgresOption(let name): "the database's address has an unknown option, '\(name)'"
        case .database(let sentence): "the database cannot be used: \(sentence)"
        case .damagedCopy(let path): "\(path): not an intact copy of a server's database; nothing was changed"
        case .copyInUse(let path):
            "\(path): not a copy that freshet backup wrote, as its last changes are in \(path)-wal; nothing was changed"
        case .backupUnsupported: "pg_dump copies a PostgreSQL database"
        }
    }
}
