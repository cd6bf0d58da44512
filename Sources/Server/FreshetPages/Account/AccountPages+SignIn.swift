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

extension AccountPages {
    /// The content of `account-sign-in.mustache`.
    private struct AddressForm: Sendable {
        var email = ""
        var error: String?
    }

    /// The content of `account-code.mustache`.
    private struct CodeForm: Sendable {
        var email: String
        var minutes: String
        var error: String?
    }

    func addSignIn(to table: inout RouteTable) {
        let home = site.home
        site.get(home + "/sign-in", in: &table) { visit in visit.redirect(to: home) }
        site.post(home + "/sign-in", in: &table) { visit, form in try await sendCode(visit, form) }
        site.get(home + "/code", in: &table) { visit in
            guard let attempt = PendingEmailCode(visit.request) else { return visit.redirect(to: home) }
            return try showCodeForm(visit, attempt)
        }
        site.post(home + "/code", in: &table) { visit, form in try await verifyCode(visit, form) }
        site.get(home + "/sign-out", in: &table) { visit in visit.redirect(to: home) }
        site.post(home + "/sign-out", in: &table) { visit, _ in
            // Signing out of a session that has ended is not an error.
            do { _ = try await sessions.end(.own, by: .pageCookie(visit.secret.digest), reason: .logout) } catch let
                error as APIError
            {
                guard error.code == .invalidToken else { throw error }
            }
            return visit.redirect(
                to: home,
                FlashMessage("You are signed out."),
                cookies: [site.cookie.clearing]
            )
        }
    }

    /// Shows the sign-in form, the first page for users who are not signed in.
    func showSignInForm(_ visit: PageRequestContext, email: String = "", error: String? = nil) throws
        -> Response
    {
        guard visitors != nil else {
            throw PageError(
                .notImplemented,
                "Sign-in is not available here",
                "This page needs a code by mail, and this server sends no mail."
            )
        }
        let form = AddressForm(email: email, error: error)
        let title = (error == nil ? "" : "Error: ") + "Sign in"
        let status: HTTPResponse.Status = error == nil ? .ok : .unprocessableContent
        return try visit.show(
            Page("account-sign-in", title: title, form, status: status, isNarrow: true)
        )
    }

    private func sendCode(_ visit: PageRequestContext, _ form: PageForm) async throws -> Response {
        let text = form["email"]
        guard let visitors, let email = EmailAddress(text) else {
            let error = "Enter an e-mail address, such as ann@example.com."
            return try showSignInForm(visit, email: String(text.prefix(254)), error: error)
        }
        let browser = try await knownBrowser(visit.request, of: email, by: visitors)
        let attempt = try await visitors.codes.begin(
            CodeRequest(email: email.text),
            from: visit.context.requester,
            browser: browser.map { .browser($0.name) }
        )
        let sent = PendingEmailCode(attempt: attempt.attempt, email: email.text)
        let cookie = PendingEmailCode.cookie.setting(sent.cookieValue, for: .seconds(attempt.expiresIn))
        return visit.redirect(to: site.home + "/code", cookies: [cookie])
    }

    /// Returns the browser of a request, if the account's user has signed in with it before.
    private func knownBrowser(_ request: Request, of email: EmailAddress, by visitors: PageSessions) async throws
        -> KnownBrowser?
    {
        let forgotten = try await sessions.database.read { try UserTable.devicesForgottenAt(email, in: $0) }
        return KnownBrowser(
            request,
            of: email,
            key: visitors.codes.codes.key,
            now: sessions.clock(),
            devicesForgottenAt: forgotten
        )
    }

    private func showCodeForm(_ visit: PageRequestContext, _ sent: PendingEmailCode, error: String? = nil) throws
        -> Response
    {
        let lifetime = visitors?.codes.codes.lifetime ?? .zero
        let form = CodeForm(email: sent.email, minutes: lifetime.roundedText, error: error)
        let title = (error == nil ? "" : "Error: ") + "Enter your code"
        let status: HTTPResponse.Status = error == nil ? .ok : .unprocessableContent
        return try visit.show(Page("account-code", title: title, form, status: status, isNarrow: true))
    }

    private func verifyCode(_ visit: PageRequestContext, _ form: PageForm) async throws -> Response {
        guard let visitors, let sent = PendingEmailCode(visit.request) else {
            return visit.redirect(
                to: site.home,
                FlashMessage("The code has expired. Request another one.")
            )
        }
        let code = form["code"].filter { !$0.isWhitespace }
        guard code.utf8.count == 6, code.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return try showCodeForm(visit, sent, error: "A code has six digits. Use the newest mail.")
        }
        do {
            let (secret, email) = try await visitors.signIn(
                code,
                attempt: sent.attempt,
                holding: visit.secret,
                from: visit.context.requester
            )
            var cookies = [site.cookie.setting(secret.text), PendingEmailCode.cookie.clearing]
            if let email {
                let browser = try await knownBrowser(visit.request, of: email, by: visitors) ?? KnownBrowser()
                let value = browser.value(of: email, key: visitors.codes.codes.key, now: sessions.clock())
                cookies.append(KnownBrowser.cookie.setting(value, for: KnownBrowser.lifetime))
            }
            return visit.redirect(to: site.home, FlashMessage("You are signed in."), cookies: cookies)
        } catch let error as APIError where error.code == .invalidGrant {
            guard error.reason == nil else {
                throw PageError(
                    .forbidden,
                    "This account is closed",
                    "Its operator has closed it. Please ask them."
                )
            }
            let text =
                "This code is wrong, was used, or has expired. Use the newest mail, or request another code."
            return try showCodeForm(visit, sent, error: text)
        }
    }
}
