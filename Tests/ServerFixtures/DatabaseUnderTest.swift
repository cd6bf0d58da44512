// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetDatabase

/// A database, and the folder that is its own or stands beside it.
package final class DatabaseUnderTest: Sendable {
    package let folder: URL
    package let postgres: PostgresConfiguration?

    package init(folder: URL, postgres: PostgresConfiguration?) {
        self.folder = folder
        self.postgres = postgres
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Opens it as a server does when it starts.
    package func open() throws -> any ServerDatabase {
        guard var postgres else {
            // A child process that is being started may hold a copy of a closed lock for a moment.
            return try SQLiteDatabase(in: folder, lockTimeout: .seconds(5))
        }
        postgres.connections = 4
        return try PostgresDatabase(postgres)
    }

    /// Opens it as another process does that works beside a server: one more server, or for SQLite a command.
    package func openBeside() throws -> any ServerDatabase {
        if postgres != nil { return try open() }
        return try SQLiteDatabase(existingIn: folder)
    }

    /// Opens it, closes it when `body` is done.
    package func opened<Value>(_ body: (any ServerDatabase) async throws -> Value) async throws -> Value {
        let database = try open()
        let value: Value
        do { value = try await body(database) } catch {
            try? database.close()
            throw error
        }
        try database.close()
        return value
    }
}
