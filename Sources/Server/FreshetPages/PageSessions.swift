// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetEngine
package import FreshetIdentity
import FreshetWire

/// Who is signed in to the pages: an ordinary session each, with short limits and without a token.
///
/// Whatever ends sessions (the user, an operator, a limit) ends these as well, for each request looks at the row.
package struct PageSessions: Sendable {
    /// A use is written down once in so long.
    static let touchInterval = Duration.seconds(60)

    package let codes: CodeLogin
    package let configuration: PagesConfiguration

    private var sessions: SessionRegistry { codes.sessions }

    /// Somebody who is signed in.
    package struct Visitor: Sendable {
        package var user: User
        package var session: SessionRow
        /// What transactions find the session by.
        package var credential: SessionCredential

        /// What the head of a page calls the account.
        package var name: String { user.email?.text ?? "Your account" }
    }

    /// Who holds a cookie; notes that it was used.
    ///
    /// - Returns: `nil` for nobody, and for a session that is over.
    func visitor(_ secret: SessionCookieValue) async throws -> Visitor? {
        let clock = sessions.clock.reading()
        let now = clock.now
        let visitor = try await sessions.database.read { database -> Visitor? in
            guard let row = try PageSessionTable.session(of: secret.digest, in: database),
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

    /// Opens a session for the right code.
    ///
    /// A form that was sent twice gets the same session twice, and the second cookie is the one that counts: the cookie
    /// it came with is its intent.
    ///
    /// - Returns: what the browser's cookie holds from now on; never what it held before, which others may know.
    package func signIn(
        _ code: String,
        attempt: String,
        holding secret: SessionCookieValue,
        from requester: Requester
    ) async throws -> SessionCookieValue {
        let fresh = SessionCookieValue.random()
        let verification = CodeVerification(attempt: attempt, code: code, intent: secret.intent?.text)
        let opening = try await codes.open(verification, from: requester, sessionPolicy: .native, isPage: true) {
            user in
            start(for: user, from: requester)
        } beside: { row, database in
            try PageSessionTable.put(fresh.digest, row, in: database)
        }
        sessions.announce(opening)
        return fresh
    }

    /// A session with the pages' own limits; its tokens go to nobody.
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
        // Somebody who looks after his devices must not lose one by that.
        start.countsTowardLimit = false
        return start
    }
}
