// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire
import HTTPTypes
import Hummingbird

/// Who may see the operators' pages: whoever knows their password, with a browser that has shown it.
struct OperatorAuthentication: Sendable {
    static let home = "/operator"
    static let signIn = "/operator/sign-in"

    let site: PageSite
    let password: OperatorPassword
    let sessions: OperatorSessions
    /// Its own, so that a crowd that signs in to the server does not keep operators out.
    let hasher: PasswordHasher
    let limiter: RateLimiter
    let limits: SignInRateLimits
    let events: ServerEvents
    let clock: @Sendable () -> Timestamp

    /// What `operator-sign-in.mustache` shows.
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
            // What the browser holds opened something; it gets another.
            let cookie = site.cookie.setting(SessionCookieValue.random().text)
            return visit.redirect(to: Self.signIn, FlashMessage("You are signed out."), cookies: [cookie])
        }
    }

    /// Answers a page to operators, and sends everybody else to the sign-in page.
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

    /// Takes a form of operators.
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
        let notice = FlashMessage("You were signed out meanwhile, and nothing was done. Please sign in again.")
        return visit.redirect(to: Self.signIn, notice)
    }

    /// The authority of a visit's browser, for as long as it is signed in.
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
        // Nobody looks at the password then, and nothing is written: else a stranger would fill the audit trail.
        try limiter.take(plan(mark, visit), now: now)
        let given = form["password"]
        let isRight = try await hasher.verify(String(given.prefix(PasswordHasher.maximumLength)), against: hash).isRight
        guard isRight, let hash, given.utf8.count <= PasswordHasher.maximumLength else {
            events.emit(.operatorActed(.operatorRefused))
            return try show(visit, error: "That is not the operators' password.")
        }
        let secret = SessionCookieValue.random()
        // What the browser came with is known to whoever gave it to it.
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
