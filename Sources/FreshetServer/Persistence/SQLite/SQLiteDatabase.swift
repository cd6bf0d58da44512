// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import GRDB

/// The server's database file: opened, migrated, and held to its promise of durability.
final class SQLiteDatabase: Sendable {
    private let pool: DatabasePool
    let file: URL
    /// Every write goes through here.
    let writes: WriteBatcher

    /// Opens or makes `freshet.sqlite` in `folder`.
    ///
    /// - Parameters:
    ///   - folder: Where it lies, or will.
    ///   - limits: How many writes may wait.
    ///   - metrics: Told how long commits take.
    ///   - isDurable: Tells whether a commit can be forced to the disk; a test may doubt it.
    /// - Throws: `StartupError`, or whatever the database says.
    init(
        in folder: URL,
        limits: LoadLimits = LoadLimits(),
        metrics: ServerMetrics? = nil,
        isDurable: (WriteBatcher) throws -> Bool = { try $0.keepsFullSynchronization() }
    ) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        file = folder.appending(path: "freshet.sqlite")
        try Self.protect(file)
        pool = try DatabasePool(path: file.path, configuration: configuration)
        let migrator = SQLiteSchema.migrator
        if try pool.read(migrator.hasBeenSuperseded) {
            let known = Set(migrator.migrations)
            let unknown = try pool.read(migrator.appliedIdentifiers).subtracting(known)
            throw StartupError.newerSchema(unknown.min() ?? "?")
        }
        try migrator.migrate(pool)
        writes = WriteBatcher(pool, longestQueue: limits.writes, metrics: metrics)
        guard try isDurable(writes) else { throw StartupError.notDurable }
    }

    /// Opens the database of a folder as it is, beside a server that may run on it.
    ///
    /// - Throws: `StartupError` if there is none, or one of another version.
    init(existingIn folder: URL) throws {
        file = folder.appending(path: "freshet.sqlite")
        guard FileManager.default.fileExists(atPath: file.path) else { throw StartupError.noDatabase(file.path) }
        let missing = try SchemaDesk(in: folder).steps().filter { !$0.isDone }
        if let first = missing.first { throw StartupError.olderSchema(first.name) }
        try Self.protect(file)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        pool = try DatabasePool(path: file.path, configuration: configuration)
        writes = WriteBatcher(pool)
    }

    /// Lets go of the database, and leaves its log to the server.
    func leave() throws { try pool.close() }

    /// Makes the file for this user alone, or refuses one that others may have read or changed.
    ///
    /// SQLite gives the files beside it the same mode.
    private static func protect(_ file: URL) throws {
        do { try PrivateFiles.write([], toNewFile: file) } catch let error as POSIXError where error.code == .EEXIST {}
        for path in ["", "-wal", "-shm"].map({ file.path + $0 }) where FileManager.default.fileExists(atPath: path) {
            guard try PrivateFiles.isPrivateFile(URL(filePath: path)) else { throw StartupError.unsafeDatabase(path) }
        }
    }

    /// Runs `body` on a snapshot that no write disturbs.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await pool.read(body)
    }

    /// As ``read(_:)``, for the time before the server runs.
    func readNow<Value>(_ body: (Database) throws -> Value) throws -> Value { try pool.read(body) }

    /// Writes for a command, which has nothing else to do meanwhile.
    func writeNow<Value>(_ body: (Database) throws -> Value) throws -> Value { try pool.write(body) }

    /// Writes what nobody waits for, in a transaction of its own that need not be durable.
    @discardableResult
    func writeAside<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await pool.write(body)
    }

    /// How many bytes the database and its log take.
    var sizes: [(part: String, bytes: Int)] {
        [("database", file.path), ("log", file.path + "-wal")].map { part, path in
            (part, (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
        }
    }

    /// Copies the database, as it is at one moment, while others read and write.
    func backup(to copy: DatabaseQueue) throws { try pool.backup(to: copy) }

    /// Finishes the writes under way, moves the log into the database file, and lets go of it.
    ///
    /// A copy of the file alone is whole then. Somebody else's reader may keep the log from moving; it stays beside the
    /// file in that case, and nothing is lost.
    func close() throws {
        _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try pool.close()
    }
}
