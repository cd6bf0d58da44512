// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB
import NIOConcurrencyHelpers

/// What belongs to each of the pool's connections, for as long as it is open.
final class SQLiteConnections: Sendable {
    /// `nil` once nobody may come any more.
    private let open = NIOLockedValueBox<[ObjectIdentifier: SQLiteConnection]?>([:])

    /// Ours, for one of GRDB's, on whose queue this is called.
    func of(_ database: Database) throws -> SQLiteConnection {
        let connection = open.withLockedValue { open -> SQLiteConnection? in
            guard open != nil, let handle = database.sqliteConnection else { return nil }
            // A connection that was closed may have left its place to another one.
            if let known = open?[ObjectIdentifier(database)], known.handle == handle { return known }
            let connection = SQLiteConnection(handle)
            open?[ObjectIdentifier(database)] = connection
            return connection
        }
        guard let connection else { throw SQLError.closed }
        return connection
    }

    /// Lets go of all statements; called while nobody reads or writes.
    func close() {
        let all = open.withLockedValue { open in
            defer { open = nil }
            return open ?? [:]
        }
        for connection in all.values { connection.finalize() }
    }
}
