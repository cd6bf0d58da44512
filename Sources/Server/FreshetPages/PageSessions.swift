// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetIdentity
import FreshetWire

/// The sessions of the account pages: regular sessions with short lifetimes and without tokens.
///
/// Users, operators and limits end them like other sessions, because each request reads the row.
struct PageSessions: Sendable {
    /// The minimum interval at which the last use is written.
    static let touchInterval = Duration.seconds(60)

    let codes: CodeLogin
    let configuration: PagesConfiguration

    private var sessions: SessionRegistry { codes.sessions }

    /// A signed-in user.
    struct Visitor: Sendable {
        var user: User
        var session: SessionRow
        /// The credential by which transactions find the session.
        var credential: SessionCredential

        /// The account's name in the page's header.
        var name: String { user.email?.text ?? "Your account" }
    }

    /// Returns the user who owns a cookie, and records its use.
    ///
    /// - Returns: `nil` for an unknown cookie, and for a session that has ended.
    func visitor(_ secret: SessionCookieValue) async throws -> Visitor? {
        let clock = sessions.clock.reading()
        let now = clock.now
        let visitor = try await sessions.database.read { database -> Visitor? in
            // The database may have lost the end of a session.
            guard let row = try PageSessionTable.session(of: secret.digest, in: database),
                sessions.ended.reason(of: row.id) == nil,
                try row.endReason(at: clock) == nil, let user = try UserTable.find(row.user, in: database)
            else { return nil }
            return Visitor(user: user, session: row, credential: .pageCookie(secret.digest))
        }
        guard var visitor, now - visitor.session.lastUsedAt >= Self.touchInterval else { return visitor }
        let (id, idle) = (visitor.session.id, configuration.idle + (clock.latest - now))
        try await sessions.database.backgroundWrite { try SessionTable.touch(id, at: now, idle: idle, in: $0) }
        visitor.session.lastUsedAt = now
        visitor.session.idleExpiry = min(now + idle, visitor.session.absoluteExpiry)
        return visitor
    }

    /// Opens a session for a correct code.
    ///
    /// The cookie of the form's request serves as the intent, so a form that is sent twice opens one session; the
    /// second response has the valid cookie.
    ///
    /// - Returns: The new value of the browser's cookie, never the previous one, which others may know; and the address
    ///   that the code has proved, unlike one that the browser names.
    func signIn(
        _ code: String,
        attempt: String,
        holding secret: SessionCookieValue,
        from requester: Requester
    ) async throws -> (cookie: SessionCookieValue, email: EmailAddress?) {
        let fresh = SessionCookieValue.random()
        let verification = CodeVerification(attempt: attempt, code: code, intent: secret.intent?.text)
        let opening = try await codes.open(verification, from: requester, sessionPolicy: .native, isPage: true) {
            user in
            start(for: user, from: requester)
        } beside: { row, database in
            try PageSessionTable.put(fresh.digest, row, in: database)
        }
        sessions.announce(opening)
        return (fresh, opening.user.email)
    }

    /// Creates a session with the lifetimes of the pages; its tokens are never sent.
    private func start(for user: User, from requester: Requester) -> SessionRegistry.NewSession {
        let browser = BrowserName(requester.userAgent)
        var lifetimes = sessions.lifetimes.native
        (lifetimes.idle, lifetimes.absolute) = (configuration.idle, configuration.absolute)
        var row = SessionRow.start(
            user: user.id,
            mode: SessionPolicy.native.mode,
            device: Device(name: browser.text, platform: "web", model: browser.text, app: "account page"),
            lifetimes: lifetimes,
            keyID: sessions.keys.currentID,
            now: sessions.clock()
        )
        row.place = requester.place
        row.method = SignInMethod.code.rawValue
        var start = sessions.restart(row)
        // Managing devices must not sign out one of them.
        start.countsTowardLimit = false
        return start
    }
}
