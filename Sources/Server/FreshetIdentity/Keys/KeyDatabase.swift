// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetDatabase
package import FreshetEngine

/// Access to the key records of a database.
package struct KeyDatabase: Sendable {
    /// Runs a body with the database; does nothing if there is none yet.
    private let perform: @Sendable (_ body: (any ServerDatabase) throws -> Void) throws -> Void

    /// The database of a server that runs.
    package init(_ database: any ServerDatabase) { perform = { try $0(database) } }

    /// The database of a data folder or the one that is named, opened each time: a server may run on it.
    package init(in folder: URL, _ postgres: PostgresConfiguration?) {
        perform = { body in
            let adminService: AdminService
            do { adminService = try AdminService(in: folder, database: postgres) } catch DatabaseStartupError.noDatabase
            {
                return
            }
            defer { try? adminService.close() }
            try body(adminService.database)
        }
    }

    /// Whether a session lives that began before a moment.
    func hasLiveSession(before moment: Timestamp, now: Timestamp) throws -> Bool {
        var has = false
        try perform { database in
            has = try database.readNow { try SessionTable.hasLive(before: moment, now: now, in: $0) }
        }
        return has
    }

    /// The keys of a kind that sessions may rest on.
    func keysInUse(_ kind: KeyKind) throws -> [UInt8] {
        var ids: [UInt8] = []
        try perform { database in
            let records = try database.readNow { try KeyFingerprintTable.records(kind.rawValue, in: $0) }
            ids = records.filter { !$0.isRetired }.map(\.id).sorted()
        }
        return ids
    }

    /// Remembers that what was made with a key is refused for good.
    ///
    /// - Returns: whether the key was known, and not retired before.
    @discardableResult
    package func retire(_ kind: KeyKind, _ id: UInt8, at now: Timestamp) throws -> Bool {
        var isDone = false
        try perform { database in
            isDone = try database.writeNow { try KeyFingerprintTable.retire(kind.rawValue, id, at: now, in: $0) }
        }
        return isDone
    }
}
