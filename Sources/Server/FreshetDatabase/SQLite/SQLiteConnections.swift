// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB
import NIOConcurrencyHelpers

/// The `SQLiteConnection` of each open connection of the pool.
final class SQLiteConnections: Sendable {
    /// The open connections; `nil` once the pool is closed.
    private let open = NIOLockedValueBox<[ObjectIdentifier: SQLiteConnection]?>([:])

    /// Returns the connection for one of GRDB's, on whose queue this is called.
    func of(_ database: Database) throws -> SQLiteConnection {
        let connection = open.withLockedValue { open -> SQLiteConnection? in
            guard open != nil, let handle = database.sqliteConnection else { return nil }
            // Another connection may have been allocated at the address of a closed one.
            if let known = open?[ObjectIdentifier(database)], known.handle == handle { return known }
            let connection = SQLiteConnection(handle)
            open?[ObjectIdentifier(database)] = connection
            return connection
        }
        guard let connection else { throw SQLError.closed }
        return connection
    }

    /// Finalizes all statements; must not be called while another thread reads or writes.
    func close() {
        let all = open.withLockedValue { open in
            defer { open = nil }
            return open ?? [:]
        }
        for connection in all.values { connection.finalize() }
    }
}
