// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetDatabase
package import FreshetEngine
import FreshetSystem
package import FreshetWire

/// The operations of an operator on a server's data folder, whether or not the server is running.
///
/// The service and the server use the same database: a running server detects a session ended here within a second.
package struct AdminService: Sendable {
    let database: any ServerDatabase
    let clock: @Sendable () -> Timestamp
    private let authority: OperatorAuthority

    /// Opens the folder's database, or the one given, without creating or migrating it.
    ///
    /// - Throws: `StartupError` if the folder has no database, or one of another version.
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

    /// Creates the service of a running server, for its pages.
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

    /// The number of accounts per page.
    package static let page = 500

    /// Returns a page of accounts in the order of sign-up.
    ///
    /// - Parameters:
    ///   - text: The beginning of the accounts' addresses or IDs; `nil` for all accounts.
    ///   - number: The number of the last account of the page before.
    ///   - limit: The maximum number of accounts.
    /// - Returns: The accounts, at most `limit`.
    /// - Throws: The database's errors.
    package func users(
        beginning text: String? = nil,
        after number: Int64 = 0,
        limit: Int = AdminService.page
    ) throws -> [Account] {
        let now = clock()
        return try database.readNow {
            try UserTable.accounts(beginning: text, after: number, limit: limit, at: now, in: $0)
        }
    }

    package func user(_ id: UUID) throws -> Account? {
        let now = clock()
        return try database.readNow { try UserTable.account(id, at: now, in: $0) }
    }

    package func user(_ email: EmailAddress) throws -> Account? {
        let now = clock()
        return try database.readNow { try UserTable.account(email, at: now, in: $0) }
    }

    /// Returns an account's audit events, oldest first.
    package func events(of user: UUID) throws -> [AuditEvent] {
        try database.readNow { try AuditTable.events(of: user, in: $0) }
    }

    /// Disables an account and ends its sessions.
    ///
    /// - Returns: The number of sessions that ended.
    package func disable(_ user: UUID) async throws -> Int { try await disableReturningEnded(user).ids.count }

    /// Disables an account like ``disable(_:)``, and returns the ended sessions, to be published.
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

    /// Deletes an account; its ended sessions and events are kept for their retention periods.
    ///
    /// - Returns: The number of sessions that ended.
    package func delete(_ user: UUID) async throws -> Int {
        return try await authorized(user) { act, authority, database in
            let ended = try Self.end(reason: .userDisabled, act, by: authority, in: database)
            try UserTable.delete(by: authority, in: database)
            try Self.audit(.userDeleted, user, act, in: database)
            return ended.count
        }
    }

    // MARK: - Sessions

    /// Returns a user's sessions, including ended sessions, most recently used first; at most one page.
    package func sessions(of user: UUID) throws -> [SessionRow] {
        try database.readNow { try SessionTable.all(of: user, limit: Self.page, in: $0) }
    }

    /// Returns a session and its timeline.
    package func session(_ id: SessionID) throws -> (row: SessionRow, timeline: SessionTimeline)? {
        let now = clock()
        return try database.readNow { database in
            guard let row = try SessionTable.find(id, in: database) else { return nil }
            return (row, SessionTimeline(row, events: try AuditTable.events(of: id, in: database), now: now))
        }
    }

    /// Ends all sessions of a user, or the given one.
    ///
    /// - Returns: The number of sessions that were alive.
    package func end(of user: UUID, only id: SessionID? = nil, because: OperatorReason? = nil) async throws -> Int {
        try await endReturningEnded(of: user, only: id, because: because).ids.count
    }

    /// Ends the sessions like ``end(of:only:because:)`` and returns the ended sessions, to be published.
    package func endReturningEnded(of user: UUID, only id: SessionID? = nil, because: OperatorReason?) async throws
        -> Ended
    {
        return try await authorized(user, because: because) { act, authority, database in
            let ids = try Self.end(only: id, reason: .revokedByOperator, act, by: authority, in: database)
            return Ended(ids: ids, at: act.at)
        }
    }

    /// The sessions that an operation ended.
    package struct Ended: Sendable {
        package var ids: [SessionID]
        package var at: Timestamp
    }

    /// One action of an operator.
    private struct OperatorAction: Sendable {
        var at: Timestamp
        /// The source address of the operator, if the action comes from a server's pages.
        var source: String?
        var because: OperatorReason?
    }

    // MARK: - Copies

    /// Copies a consistent snapshot of the database into a new file, while a server keeps running.
    package func backup(to file: URL) throws {
        try PrivateFiles.write([], toNewFile: file)
        do { try database.copy(to: file) } catch {
            try? FileManager.default.removeItem(at: file)
            throw error
        }
    }

    /// Records that a backup was made; fails on a full disk, where the copy is complete all the same.
    package func recordBackup() throws {
        try database.writeNow { [now = clock()] in try LastBackup.set(now, in: $0) }
    }

    /// Runs an operator's operation on an account in a durable transaction.
    private func authorized<Value: Sendable>(
        _ user: UUID,
        because: OperatorReason? = nil,
        _ body: @escaping @Sendable (OperatorAction, borrowing AccountAuthority, any SQLConnection) throws -> Value
    ) async throws -> Value {
        let source = RequestTrace.current?.source?.description
        return try await database.durably { [authority, now = clock()] database in
            // Servers search their recent past for ends. A server that was started less than a minute ago may not have
            // stored its time, but a session whose access tokens are valid was used recently by its clock.
            let latest = try ServerStateTable.latest(now, in: database)
            let lastUse = try SessionTable.lastUse(of: user, in: database)
            let act = OperatorAction(
                at: max(latest, lastUse ?? latest),
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
        // A server that finds these sessions in the database does not count them, so this process does.
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
