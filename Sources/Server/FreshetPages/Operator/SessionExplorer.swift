// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import HTTPTypes
import Hummingbird

/// Explains why a user was signed out: finds a user or a session, and shows the session's timeline.
struct SessionExplorer: Sendable {
    static let home = "/operator/sessions"
    static let users = "/operator/users"

    /// The maximum number of a user's sessions that are shown with their reasons.
    static let sessionLimit = 30
    /// The maximum number of recently ended sessions on the first page.
    static let recentLimit = 15

    let parts: OperatorPagesParts
    let authentication: OperatorAuthentication

    private var adminService: AdminService {
        AdminService(database: parts.database, clock: parts.clock.now, authority: .readOnly)
    }

    func add(to table: inout RouteTable) {
        authentication.get(Self.home, in: &table) { visit in try await search(visit, "") }
        authentication.post("/operator/search", in: &table) { visit, form in try await find(visit, form["query"]) }
        authentication.get("\(Self.users)/{id}", in: &table) { visit in try await user(visit) }
        authentication.get("\(Self.home)/{id}", in: &table) { visit in try await session(visit) }
    }

    // MARK: - Searching

    private func find(_ visit: PageRequestContext, _ query: String) async throws -> Response {
        let text = String(query.prefix(300))
        if let id = SessionID(text), try await parts.database.read({ try SessionTable.find(id, in: $0) }) != nil {
            return visit.redirect(to: "\(Self.home)/\(id)")
        }
        let user = try await parts.database.read { [now = parts.clock()] database in
            if let id = UUID(exactly: text) { return try UserTable.account(id, at: now, in: database) }
            // The rules may have been others when the account was created.
            return try UserTable.account(EmailAddress(text) ?? EmailAddress(stored: text), at: now, in: database)
        }
        if let user { return visit.redirect(to: "\(Self.users)/\(SessionID(user.id))") }
        return try await search(visit, text)
    }

    /// Shows the first page, also if the search found neither a user nor a session.
    private func search(_ visit: PageRequestContext, _ query: String) async throws -> Response {
        let now = parts.clock()
        let found = try await parts.database.read { database in
            try SessionTable.lastEnded(Self.recentLimit, in: database).map { row in
                (row, try UserTable.account(row.user, at: now, in: database)?.email)
            }
        }
        let recent = found.map { row, email in
            SessionExplorerContent.Session(row, why: row.ending?.reason.details.summary ?? "", email: email, now: now)
        }
        let content = SessionExplorerContent.Search(
            query: query,
            hasFailed: !query.isEmpty,
            recent: recent,
            hasRecent: !recent.isEmpty
        )
        let status = query.isEmpty ? HTTPResponse.Status.ok : .notFound
        let page = Page("operator-search", title: "Why signed out?", content, status: status, account: "Operator")
        return try visit.show(page)
    }

    // MARK: - One user, one session

    private func user(_ visit: PageRequestContext) async throws -> Response {
        // The newest events may not have been written yet.
        await parts.audit.write()
        let now = parts.clock()
        let id = visit.context.parameters.get("id").flatMap { UUID(exactly: $0) }
        guard let id, let account = try await parts.database.read({ try UserTable.account(id, at: now, in: $0) }) else {
            throw PageError(.notFound, "There is no such user", "The account may have been deleted.", next: Self.home)
        }
        let (lives, events) = try await parts.database.read { database in
            let rows = try SessionTable.all(of: id, limit: Self.sessionLimit, in: database)
            let lives = try rows.map { row in
                let events = try AuditTable.events(of: row.id, in: database)
                return (row: row, why: SessionTimeline(row, events: events, now: now).why)
            }
            return (lives, try AuditTable.events(of: id, in: database))
        }
        let content = SessionExplorerContent.User(account, lives, events: events, now: now)
        return try visit.show(Page("operator-user", title: content.name, content, account: "Operator"))
    }

    private func session(_ visit: PageRequestContext) async throws -> Response {
        await parts.audit.write()
        let now = parts.clock()
        guard let id = visit.context.parameters.get("id").flatMap({ SessionID($0) }),
            let (row, events, account, ender) = try await parts.database.read({ database in
                try Self.detail(of: id, at: now, in: database)
            })
        else {
            throw PageError(
                .notFound,
                "There is no such session",
                "It may have ended long ago, and its record been deleted.",
                next: Self.home
            )
        }
        let timeline = SessionTimeline(row, events: events, now: now)
        let content = SessionExplorerContent.SessionDetail(row, timeline, email: account?.email, ender: ender, now: now)
        return try visit.show(Page("operator-session", title: content.heading, content, account: "Operator"))
    }

    private static func detail(of id: SessionID, at now: Timestamp, in database: any SQLConnection) throws
        -> (SessionRow, [AuditEvent], AdminService.Account?, SessionRow?)?
    {
        guard let row = try SessionTable.find(id, in: database) else { return nil }
        let events = try AuditTable.events(of: id, in: database)
        let ender = try events.last { $0.by != nil }?.by.flatMap { try SessionTable.find($0, in: database) }
        return (row, events, try UserTable.account(row.user, at: now, in: database), ender)
    }
}

extension SessionTable {
    /// Returns the sessions that were ended last, by any party, newest first.
    static func lastEnded(_ limit: Int, in database: any SQLConnection) throws -> [SessionRow] {
        let sql = "SELECT id FROM sessions WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT ?"
        return try database.rows(sql, [limit]) { try $0[0] }.compactMap { try find($0, in: database) }
    }
}
