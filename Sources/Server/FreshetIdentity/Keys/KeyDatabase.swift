// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
package import FreshetDatabase
import FreshetEngine

/// Access to the key records of a database.
package struct KeyDatabase: Sendable {
    /// Runs a body with the database; does nothing if there is none yet.
    private let perform: @Sendable (_ body: (any ServerDatabase) throws -> Void) throws -> Void

    /// Uses the database of a running server.
    package init(_ database: any ServerDatabase) { perform = { try $0(database) } }

    /// Opens the database of a data folder, or the given one, each time: a server may be using it.
    init(in folder: URL, _ postgres: PostgresConfiguration?) {
        perform = { body in
            let adminService: AdminService
            do { adminService = try AdminService(in: folder, database: postgres) } catch DatabaseStartupError.noDatabase
            {
                return
            }
            defer { try? adminService.close() }
            if postgres == nil { try adminService.checkDatabaseIdentity(in: folder) }
            try body(adminService.database)
        }
    }

    /// Whether there is a live session that was opened before a time.
    func hasLiveSession(before moment: Timestamp, now: Timestamp) throws -> Bool {
        var has = false
        try perform { database in
            has = try database.readNow { try SessionTable.hasLive(before: moment, now: now, in: $0) }
        }
        return has
    }

    /// Whether a session is stored, live or ended, that was opened before a time.
    func hasSession(before moment: Timestamp) throws -> Bool {
        var has = false
        try perform { database in has = try database.readNow { try SessionTable.has(before: moment, in: $0) } }
        return has
    }

    /// Returns the keys of a kind that sessions may depend on.
    func keysInUse(_ kind: KeyKind) throws -> [UInt8] {
        var ids: [UInt8] = []
        try perform { database in
            let records = try database.readNow { try KeyFingerprintTable.records(kind.rawValue, in: $0) }
            ids = records.filter { !$0.isRetired }.map(\.id).sorted()
        }
        return ids
    }

    /// Records that a key is retired: tokens made with it are refused permanently.
    ///
    /// - Returns: Whether the key was known and not yet retired.
    @discardableResult
    func retire(_ kind: KeyKind, _ id: UInt8, at now: Timestamp) throws -> Bool {
        var isDone = false
        try perform { database in
            isDone = try database.writeNow { try KeyFingerprintTable.retire(kind.rawValue, id, at: now, in: $0) }
        }
        return isDone
    }
}
