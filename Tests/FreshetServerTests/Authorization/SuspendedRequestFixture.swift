// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import IdentityFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetPages
@testable import FreshetServer

/// Accounts with a session that is about to end, and another one that ends it.
struct SuspendedRequestFixture: Sendable {
    /// How an account is signed in to, which decides what it can be asked for.
    enum Kind: CaseIterable, Sendable {
        /// An unproved address, and a password.
        case password
        /// A proved address without a password, and a browser at the account pages.
        case code
        /// Sign in with Apple alone.
        case apple
    }

    struct Account: Sendable {
        var kind: Kind
        var user: UUID
        var email: String?
        /// The session that held requests are sent for.
        var own: SessionTokens
        var other: SessionTokens
    }

    let caller: TestHTTPClient
    let server: ServerUnderTest
    let apple: AppleUnderTest
    let accounts: [Account]
    /// The value of the browser's cookie; of the account without a password.
    let page: SessionCookieValue
    let pageSession: SessionID
    let linkCode: (attempt: String, code: String)

    init(_ caller: TestHTTPClient, _ server: ServerUnderTest, _ apple: AppleUnderTest) async throws {
        self.caller = caller
        self.server = server
        self.apple = apple
        let name = UUID().uuidString.lowercased().prefix(8)
        let emails = ["password-\(name)@example.com", "code-\(name)@example.com"]
        func make(_ kind: Kind, _ email: String?, _ signIn: () async throws -> SessionTokens) async throws -> Account {
            let (own, other) = (try await signIn(), try await signIn())
            let user = try #require(UUID(uuidString: own.user.id))
            return Account(kind: kind, user: user, email: email, own: own, other: other)
        }
        _ = try await caller.signUp(emails[0])
        let byPassword = try await make(.password, emails[0]) { try await caller.signIn(emails[0]) }
        let byCode = try await make(.code, emails[1]) { try await Self.signInByCode(caller, emails[1]) }
        let byApple = try await make(.apple, nil) {
            let credentials = try await Self.credentials(caller, server, apple, "apple-\(name)")
            return try await caller.post(NativePath.loginApple, credentials).json()
        }
        accounts = [byPassword, byCode, byApple]
        // Another way into the account without a password, for what takes it away.
        let identity = try await Self.credentials(caller, server, apple, "linked-\(name)")
        let shown = LinkRequest(identityToken: identity.identityToken, nonce: identity.nonce)
        let linked = try await caller.post(NativePath.linkApple, shown, bearer: byCode.own.accessToken)
        try #require(linked.status == 204, "\(linked.error)")
        let browser = try Browser(caller)
        try await browser.signIn(emails[1], caller)
        page = try #require(browser.cookies[Browser.cookie].flatMap { SessionCookieValue($0) })
        let digest = page.digest
        let row = try await caller.database.read { try PageSessionTable.session(of: digest, in: $0) }
        pageSession = try #require(row).id
        let link = LinkRequest(email: "linked-\(name)@example.com")
        let asked = try await caller.post(NativePath.linkEmail, link, bearer: byApple.own.accessToken)
        try #require(asked.status == 202, "\(asked.error)")
        linkCode = try #require(caller.sentCode("link code"))
    }

    subscript(kind: Kind) -> Account {
        get throws { try #require(accounts.first { $0.kind == kind }) }
    }

    private static func signInByCode(_ caller: TestHTTPClient, _ email: String) async throws -> SessionTokens {
        let sent = try await caller.code(for: email)
        let verification = CodeVerification(attempt: sent.attempt, code: sent.code)
        return try await caller.post(NativePath.loginCodeVerify, verification).json()
    }

    private static func credentials(
        _ caller: TestHTTPClient,
        _ server: ServerUnderTest,
        _ apple: AppleUnderTest,
        _ subject: String
    ) async throws -> AppleCredentials {
        let nonce = try await caller.send(.post, NativePath.loginAppleNonce).json(AppleNonce.self).nonce
        var claims = AppleUnderTest.Claims(now: server.readClock())
        claims.nonce = AppleUnderTest.digest(nonce)
        claims.sub = subject
        return AppleCredentials(identityToken: try await apple.token(claims), nonce: nonce)
    }

    /// A person's identity token that no account knows.
    func newIdentity() async throws -> AppleCredentials {
        try await Self.credentials(caller, server, apple, "\(UUID())")
    }

    // MARK: - Endings

    enum Ending: CaseIterable, Sendable {
        case logout, logoutAll, revoked, disabled, passwordChanged, takenOver

        /// Whether an account of this kind can end its sessions so.
        func concerns(_ kind: Kind) -> Bool {
            switch self {
            case .logout, .logoutAll, .revoked, .disabled: true
            case .passwordChanged: kind != .apple
            case .takenOver: kind == .password
            }
        }
    }

    /// Ends the own sessions of the accounts through the server's own routes, so that its memory knows.
    func end(_ ending: Ending) async throws {
        for account in accounts where ending.concerns(account.kind) {
            let status: Int
            switch ending {
            case .logout:
                if account.kind == .code {
                    _ = try await caller.parts.sessions.end(.own, by: .pageCookie(page.digest), reason: .logout)
                }
                status = try await caller.present(NativePath.logout, account.own.refreshToken).status
            case .logoutAll:
                status = try await caller.send(.post, NativePath.logoutAll, bearer: account.other.accessToken).status
            case .revoked:
                let ids = [account.own.sessionID] + (account.kind == .code ? [pageSession] : [])
                for id in ids.dropLast() {
                    _ = try await caller.send(.delete, "/v1/sessions/\(id)", bearer: account.other.accessToken)
                }
                let last = try #require(ids.last)
                status = try await caller.send(.delete, "/v1/sessions/\(last)", bearer: account.other.accessToken)
                    .status
            case .disabled:
                let adminService = AdminService(database: caller.database, clock: server.readClock, authority: .command)
                let ended = try await adminService.disableReturningEnded(account.user)
                caller.parts.sessions.publishEnd(of: ended.ids, account.user, .userDisabled, at: ended.at)
                status = 204
            case .passwordChanged:
                let current = account.kind == .password ? "correct horse" : nil
                let update = PasswordUpdate(
                    newPassword: "another horse",
                    currentPassword: current,
                    endOtherSessions: true
                )
                status = try await caller.post(NativePath.password, update, bearer: account.other.accessToken).status
            case .takenOver:
                let owner = try await Self.signInByCode(caller, try #require(account.email))
                status = owner.user.id == account.own.user.id ? 204 : 0
            }
            try #require(status == 204, "\(ending) of \(account.kind)")
        }
    }

    /// Ends the own sessions as another process on the same database does, of which this server has not heard yet.
    func endElsewhere(_ ending: Ending, at now: Timestamp) throws {
        let row = SessionRow.Ending(at: now, reason: .revokedByUser)
        for account in accounts where ending.concerns(account.kind) {
            let (user, own, other, page) = (account.user, account.own.sessionID, account.other.sessionID, pageSession)
            try caller.database.writeNow { database in
                let authority = try AccountAuthority(user, by: .command)
                switch ending {
                case .logout, .revoked:
                    for id in [own, page] { _ = try SessionTable.end(only: id, row, by: authority, in: database) }
                case .passwordChanged:
                    try UserTable.setPassword("$another", by: authority, in: database)
                    _ = try SessionTable.end(except: other, row, by: authority, in: database)
                case .takenOver:
                    try UserTable.markEmailVerified(at: row.at, by: authority, in: database)
                    _ = try SessionTable.end(row, by: authority, in: database)
                case .logoutAll: _ = try SessionTable.end(row, by: authority, in: database)
                case .disabled:
                    try UserTable.setDisabled(row.at, by: authority, in: database)
                    _ = try SessionTable.end(row, by: authority, in: database)
                }
            }
        }
        // The poller has not read them yet; should it be faster on a busy machine, a request is refused by memory instead.
    }

    /// The rows that requests could change, without the time of a session's last use.
    func contents() throws -> [String] {
        let users = accounts.map(\.user)
        return try caller.database.readNow { database in
            var lines: [String] = []
            for user in users {
                let account = try UserTable.find(user, in: database)
                lines.append("\(user) \(account?.email?.text ?? "-") \(account?.password ?? "-")")
                lines.append("Profile: \(try UserTable.profile(of: user, in: database)?.username ?? "-")")
                lines.append("Apple: \(try AppleAccountTable.isLinked(user, in: database))")
                for row in try SessionTable.all(of: user, limit: 100, in: database).sorted(by: {
                    "\($0.id)" < "\($1.id)"
                }) {
                    lines.append("\(row.id) \(row.ending?.reason.rawValue ?? "alive") \(row.device.name ?? "-")")
                }
            }
            for sql in [
                "SELECT count(*) FROM code_attempts", "SELECT count(*) FROM code_attempts WHERE session IS NOT NULL",
                "SELECT count(*) FROM spent_proofs", "SELECT count(*) FROM users",
            ] { lines.append("\(sql): \(try database.number(sql) ?? 0)") }
            return lines
        }
    }
}
