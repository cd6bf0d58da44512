// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetDatabase
package import FreshetEngine
import FreshetSystem
package import FreshetWire

/// What an operator does to the data folder of a server, whether it runs or not.
///
/// Both work on one database: a running server sees what was ended here within a second.
package struct AdminService: Sendable {
    package let database: any ServerDatabase
    package let clock: @Sendable () -> Timestamp
    private let authority: OperatorAuthority

    /// Opens the folder's database, or the one that is named, as it is; nothing is made or migrated.
    ///
    /// - Throws: `StartupError` for a folder without a database, and for one of another version.
    package init(
        in folder: URL,
        database: PostgresConfiguration? = nil,
        clock: @escaping @Sendable () -> Timestamp = Timestamp.system
    ) throws {
        if let database {
            self.database = try PostgresDatabase(database, migrates: false)
        } else {
            self.database = try SQLiteDatabase(existingIn: folder)
        }
        self.clock = clock
        authority = .command
    }

    /// The adminService of a server that runs, for its pages.
    package init(
        database: any ServerDatabase,
        clock: @escaping @Sendable () -> Timestamp,
        authority: OperatorAuthority
    ) {
        self.database = database
        self.clock = clock
        self.authority = authority
    }

    package func close() throws { try database.detach() }

    // MARK: - Users

    package typealias Account = UserTable.Account

    /// What one page of accounts holds.
    package static let page = 500

    /// A page of accounts in the order of sign-up.
    package func users(after number: Int64 = 0) throws -> [Account] {
        let now = clock()
        return try database.readNow { try UserTable.accounts(after: number, limit: Self.page, at: now, in: $0) }
    }

    package func user(_ id: UUID) throws -> Account? {
        let now = clock()
        return try database.readNow { try UserTable.account(id, at: now, in: $0) }
    }

    package func user(_ email: EmailAddress) throws -> Account? {
        let now = clock()
        return try database.readNow { try UserTable.account(email, at: now, in: $0) }
    }

    /// Whatever was out of the ordinary with an account, oldest first.
    package func events(of user: UUID) throws -> [AuditEvent] {
        try database.readNow { try AuditTable.events(of: user, in: $0) }
    }

    /// Ends an account's sessions and lets it open no more.
    ///
    /// - Returns: how many sessions ended.
    package func disable(_ user: UUID) async throws -> Int { try await disableReturningEnded(user).ids.count }

    /// As ``disable(_:)``, for a server that has to tell of it.
    package func disableReturningEnded(_ user: UUID) async throws -> Ended {
        return try await authorized(user) { act, authority, database in
            try UserTable.setDisabled(act.at, by: authority, in: database)
            try Self.audit(.userDisabled, user, act, in: database)
            return Ended(ids: try Self.end(reason: .userDisabled, act, by: authority, in: database), at: act.at)
        }
    }

    package func enable(_ user: UUID) async throws {
        try await authorized(user) { act, authority, database in
            try UserTable.setDisabled(nil, by: authority, in: database)
            try Self.audit(.userEnabled, user, act, in: database)
        }
    }

    /// Deletes an account; its ended sessions and its events stay for as long as they are kept.
    ///
    /// - Returns: how many sessions ended.
    package func delete(_ user: UUID) async throws -> Int {
        return try await authorized(user) { act, authority, database in
            let ended = try Self.end(reason: .userDisabled, act, by: authority, in: database)
            try UserTable.delete(by: authority, in: database)
            try Self.audit(.userDeleted, user, act, in: database)
            return ended.count
        }
    }

    // MARK: - Sessions

    /// A user's sessions, over or not, newest use first; not more than a page.
    package func sessions(of user: UUID) throws -> [SessionRow] {
        try database.readNow { try SessionTable.all(of: user, limit: Self.page, in: $0) }
    }

    /// A session and what happened to it.
    package func session(_ id: SessionID) throws -> (row: SessionRow, timeline: SessionTimeline)? {
        let now = clock()
        return try database.readNow { database in
            guard let row = try SessionTable.find(id, in: database) else { return nil }
            return (row, SessionTimeline(row, events: try AuditTable.events(of: id, in: database), now: now))
        }
    }

    /// Ends sessions of a user: all, or the one named.
    ///
    /// - Returns: how many were alive until now.
    package func end(of user: UUID, only id: SessionID? = nil, because: OperatorReason? = nil) async throws -> Int {
        try await endReturningEnded(of: user, only: id, because: because).ids.count
    }

    /// As ``end(of:only:because:)``, for a server that has to tell of it.
    package func endReturningEnded(of user: UUID, only id: SessionID? = nil, because: OperatorReason?) async throws
        -> Ended
    {
        return try await authorized(user, because: because) { act, authority, database in
            let ids = try Self.end(only: id, reason: .revokedByOperator, act, by: authority, in: database)
            return Ended(ids: ids, at: act.at)
        }
    }

    /// Sessions that lived until now.
    package struct Ended: Sendable {
        package var ids: [SessionID]
        package var at: Timestamp
    }

    /// One thing that an operator does.
    private struct OperatorAction: Sendable {
        var at: Timestamp
        /// Where the operator sits, if it is at a server's pages.
        var source: String?
        var because: OperatorReason?
    }

    // MARK: - Copies

    /// Copies the database as it is at one moment into a new file, while a server goes on working.
    package func backup(to file: URL) throws {
        try PrivateFiles.write([], toNewFile: file)
        do {
            try database.copy(to: file)
            try database.writeNow { [now = clock()] in try LastBackup.set(now, in: $0) }
        } catch {
            try? FileManager.default.removeItem(at: file)
            throw error
        }
    }

    /// Runs an operator's operation on an account in a durable transaction.
    private func authorized<Value: Sendable>(
        _ user: UUID,
        because: OperatorReason? = nil,
        _ body: @escaping @Sendable (OperatorAction, borrowing AccountAuthority, any SQLConnection) throws -> Value
    ) async throws -> Value {
        let source = RequestTrace.current?.source?.description
        return try await database.durably { [authority, now = clock()] database in
            let act = OperatorAction(
                at: try ServerStateTable.latest(now, in: database),
                source: source,
                because: because
            )
            return try body(act, try AccountAuthority(user, by: authority), database)
        }
    }

    private static func end(
        only id: SessionID? = nil,
        reason: EndReason,
        _ act: OperatorAction,
        by authority: borrowing AccountAuthority,
        in database: any SQLConnection
    ) throws -> [SessionID] {
        let ending = SessionRow.Ending(at: act.at, reason: reason)
        let ids = try SessionTable.end(only: id, ending, by: authority, in: database)
        for id in ids { try audit(.ended, authority.user, session: id, reason: reason, act, in: database) }
        // A server that hears of it leaves the counting to who did it.
        if !ids.isEmpty {
            let tally = [MetricSeries(.signOuts, reason.rawValue): ids.count]
            try MetricsTable.add(tally, minute: act.at.minute, node: "operator", in: database)
        }
        return ids
    }

    private static func audit(
        _ kind: AuditEvent.Kind,
        _ user: UUID,
        session: SessionID? = nil,
        reason: EndReason? = nil,
        _ act: OperatorAction,
        in database: any SQLConnection
    ) throws {
        var event = AuditEvent(at: act.at, kind: kind)
        event.user = user
        event.session = session
        event.reason = reason
        event.outcome = OperatorReason.outcome(act.because)
        event.source = act.source
        try AuditTable.insert(event, in: database)
    }
}
