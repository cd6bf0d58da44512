// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetSystem
import GRDB

extension SQLiteDatabase {
    /// Replaces the database of a folder by a copy, while no server uses it.
    ///
    /// The previous database is kept next to it. If the process is stopped in the middle, the folder has no database, so
    /// that no server starts on a mixture of both; the same call completes it.
    ///
    /// - Parameters:
    ///   - copy: A file that `freshet backup` wrote; it is not changed.
    ///   - folder: The data folder; created if it does not exist.
    ///   - suffix: The end of the previous database's name.
    ///   - accept: Throws if the copy belongs to another installation.
    /// - Returns: The previous database, if there was one.
    /// - Throws: `DatabaseStartupError` if a server uses the folder, or if the copy is damaged, in use or of a newer
    ///   version; else the errors of the file system.
    package static func restore(
        _ copy: URL,
        in folder: URL,
        keepingPreviousAs suffix: String,
        accepting accept: (any SQLConnection) throws -> Void
    ) throws -> URL? {
        // The last commits of a database in use are in its WAL, and not in the file.
        let log = try? FileManager.default.attributesOfItem(atPath: copy.path + "-wal")
        guard log?[.size] as? Int ?? 0 == 0 else { throw DatabaseStartupError.copyInUse(copy.path) }
        try PrivateFiles.prepare(folder)
        let lock = try DatabaseLock(in: folder, timeout: .zero) { _ in }
        defer { lock.release() }
        let new = folder.appending(path: ".freshet.sqlite.restored")
        try removeFiles(of: new)
        defer { try? removeFiles(of: new) }
        try duplicate(copy, as: new)
        try check(new, from: copy, accept)
        let file = folder.appending(path: "freshet.sqlite")
        let previous = try movePrevious(file, to: folder.appending(path: "freshet.sqlite.\(suffix)"))
        try FileManager.default.moveItem(at: new, to: file)
        try PrivateFiles.synchronize(folder)
        return previous
    }

    /// Writes a copy that only this user can read, and forces it to the disk.
    private static func duplicate(_ copy: URL, as new: URL) throws {
        try PrivateFiles.write([], toNewFile: new)
        let source = try FileHandle(forReadingFrom: copy)
        defer { try? source.close() }
        let target = try FileHandle(forWritingTo: new)
        defer { try? target.close() }
        while let part = try source.read(upToCount: 1 << 20), !part.isEmpty { try target.write(contentsOf: part) }
        try target.synchronize()
    }

    private static func check(_ new: URL, from copy: URL, _ accept: (any SQLConnection) throws -> Void) throws {
        do {
            let database = try DatabaseQueue(path: new.path)
            let faults = try database.read { try String.fetchAll($0, sql: "PRAGMA integrity_check(1)") }
            guard faults == ["ok"] else { throw DatabaseStartupError.damagedCopy(copy.path) }
            guard try SQLiteSchema.status(database).contains(where: \.isApplied) else {
                throw DatabaseStartupError.damagedCopy(copy.path)
            }
            try database.read { try accept(try SQLiteConnections().of($0)) }
            try database.close()
        } catch is DatabaseError {
            throw DatabaseStartupError.damagedCopy(copy.path)
        }
    }

    /// Moves a database out of the way, together with its WAL: SQLite would apply that to the restored one.
    private static func movePrevious(_ file: URL, to previous: URL) throws -> URL? {
        // The database goes first: without its WAL it would lack its last commits.
        for end in ["", "-wal"] where FileManager.default.fileExists(atPath: file.path + end) {
            try FileManager.default.moveItem(atPath: file.path + end, toPath: previous.path + end)
        }
        try? FileManager.default.removeItem(atPath: file.path + "-shm")
        return FileManager.default.fileExists(atPath: previous.path) ? previous : nil
    }

    private static func removeFiles(of file: URL) throws {
        for end in ["", "-wal", "-shm", "-journal"] where FileManager.default.fileExists(atPath: file.path + end) {
            try FileManager.default.removeItem(atPath: file.path + end)
        }
    }
}
