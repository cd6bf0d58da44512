// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import HTTPTypes
import Hummingbird

/// Authenticates operators by their password, and by the session of their browser.
struct OperatorAuthentication: Sendable {
    static let home = "/operator"
    static let signIn = "/operator/sign-in"

    let site: PageSite
    let password: OperatorPassword
    let sessions: OperatorSessions
    /// The hasher of the operators' password, separate from that of users, so that many sign-ins of users do not block
    /// those of operators.
    let hasher: PasswordHasher
    let limiter: RateLimiter
    let limits: SignInRateLimits
    let events: ServerEvents
    let clock: @Sendable () -> Timestamp

    /// The content of `operator-sign-in.mustache`.
    private struct Form: Sendable {
        var hasFailed = false
        var error = ""
    }

    func add(to table: inout RouteTable) {
        site.get(Self.signIn, in: &table) { visit in
            if try isSignedIn(visit) { return visit.redirect(to: Self.home) }
            return try show(visit)
        }
        site.post(Self.signIn, in: &table) { visit, form in try await verifyPassword(visit, form) }
        site.post("\(Self.home)/sign-out", in: &table) { visit, _ in
            if try isSignedIn(visit) { events.emit(.operatorActed(.operatorSignOut)) }
            sessions.close(visit.secret.digest)
            // The cookie value belonged to a session, so the browser gets a new one.
            let cookie = site.cookie.setting(SessionCookieValue.random().text)
            return visit.redirect(to: Self.signIn, FlashMessage("You are signed out."), cookies: [cookie])
        }
    }

    /// Adds a page for operators; other visitors are redirected to the sign-in page.
    func get(
        _ path: String,
        in table: inout RouteTable,
        _ answer: @escaping @Sendable (PageRequestContext) async throws -> Response
    ) {
        site.get(path, in: &table) { visit in
            guard try isSignedIn(visit) else { return visit.redirect(to: Self.signIn) }
            return try await answer(visit)
        }
    }

    /// Adds a form for operators.
    func post(
        _ path: String,
        in table: inout RouteTable,
        _ answer: @escaping @Sendable (PageRequestContext, PageForm) async throws -> Response
    ) {
        site.post(path, in: &table) { visit, form in
            guard try isSignedIn(visit) else { return signedOut(visit) }
            do { return try await answer(visit, form) } catch is OperatorAuthority.SignedOut { return signedOut(visit) }
        }
    }

    private func signedOut(_ visit: PageRequestContext) -> Response {
        let notice = FlashMessage("You were signed out meanwhile, and nothing was changed. Please sign in again.")
        return visit.redirect(to: Self.signIn, notice)
    }

    /// Returns the authority of a request's browser, valid as long as it is signed in.
    func authority(of visit: PageRequestContext) -> OperatorAuthority {
        .page { try isSignedIn(visit) }
    }

    private func isSignedIn(_ visit: PageRequestContext) throws -> Bool {
        sessions.use(visit.secret.digest, credential: try password.hash(), at: clock())
    }

    private func verifyPassword(_ visit: PageRequestContext, _ form: PageForm) async throws -> Response {
        let now = clock()
        let hash = try password.hash()
        let mark = hash.flatMap { KnownOperatorBrowser(visit.request, credential: $0) }
        // A rate-limited attempt is neither verified nor audited: attackers could fill the audit trail otherwise.
        try limiter.take(plan(mark, visit), now: now)
        let given = form["password"]
        let isRight = try await hasher.verify(String(given.prefix(PasswordHasher.maximumLength)), against: hash).isRight
        guard isRight, let hash, given.utf8.count <= PasswordHasher.maximumLength else {
            events.emit(.operatorActed(.operatorRefused))
            return try show(visit, error: "The password is wrong.")
        }
        let secret = SessionCookieValue.random()
        // The previous cookie value may be known to an attacker who planted it (session fixation).
        sessions.close(visit.secret.digest)
        sessions.open(secret.digest, credential: hash, at: clock())
        events.emit(.operatorActed(.operatorSignIn))
        let kept = (mark ?? KnownOperatorBrowser()).value(credential: hash)
        let cookies = [
            site.cookie.setting(secret.text),
            KnownOperatorBrowser.cookie.setting(kept, for: KnownOperatorBrowser.lifetime),
        ]
        return visit.redirect(to: Self.home, cookies: cookies)
    }

    private func plan(_ mark: KnownOperatorBrowser?, _ visit: PageRequestContext) -> RateLimitPlan {
        if let mark { return RateLimitPlan([RateLimitCharge(.operatorBrowser(mark.name), limits.attemptsOnDevice)]) }
        return RateLimitPlan([
            RateLimitCharge(.operatorsFromNetwork(visit.context.requester.network), limits.attemptsFromNetwork),
            RateLimitCharge(.operators, limits.failuresFromUnknownOrigins),
        ])
    }

    private func show(_ visit: PageRequestContext, error: String? = nil) throws -> Response {
        let form = Form(hasFailed: error != nil, error: error ?? "")
        let status = error == nil ? HTTPResponse.Status.ok : .forbidden
        return try visit.show(Page("operator-sign-in", title: "Sign in", form, status: status, isNarrow: true))
    }
}
