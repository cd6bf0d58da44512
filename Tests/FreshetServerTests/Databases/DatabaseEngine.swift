// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetSystem
import PostgresCluster

@testable import FreshetDatabase
@testable import FreshetServer

/// The databases that a server runs on.
enum DatabaseEngine: String, CaseIterable, Sendable {
    case sqlite, postgres

    /// Those that are tested here.
    static let wanted = allCases.filter { $0 != .postgres || PostgresCluster.isWanted }

    /// An empty database of its own, which may be opened more than once.
    func make() throws -> DatabaseUnderTest {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-test-\(UUID())")
        try PrivateFiles.prepare(folder)
        let address = self == .postgres ? try PostgresCluster.shared.get().database() : nil
        return DatabaseUnderTest(folder: folder, postgres: try address.map { try PostgresConfiguration($0) })
    }
}

/// A database, and the folder that is its own or stands beside it.
final class DatabaseUnderTest: Sendable {
    let folder: URL
    let postgres: PostgresConfiguration?

    init(folder: URL, postgres: PostgresConfiguration?) {
        self.folder = folder
        self.postgres = postgres
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Opens it as a server does when it starts.
    func open() throws -> any ServerDatabase {
        var configuration = ServerConfiguration(dataDirectory: folder)
        configuration.database = postgres
        configuration.database?.connections = 4
        // A child process that is being started may hold a copy of a closed lock for a moment.
        configuration.lockTimeout = .seconds(5)
        return try configuration.openDatabase()
    }

    /// Opens it as another process does that works beside a server: one more server, or for SQLite a command.
    func openBeside() throws -> any ServerDatabase {
        if postgres != nil { return try open() }
        return try SQLiteDatabase(existingIn: folder)
    }

    /// Opens it, closes it when `body` is done.
    func opened<Value>(_ body: (any ServerDatabase) async throws -> Value) async throws -> Value {
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
