// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetHTTP
import FreshetWire
import HTTPTypes
import Hummingbird

/// One request of a browser to a site's page.
struct PageRequestContext: Sendable {
    let site: PageSite
    let request: Request
    let context: ServerRequestContext
    /// The value of the browser's cookie; a browser without a cookie receives it with the response.
    ///
    /// Forms are bound to it, signed in or not, so a form of another site cannot sign a user in (login CSRF).
    let secret: SessionCookieValue
    private let isNew: Bool
    /// The confirmation of the previous action.
    private let notice: FlashMessage?

    init(_ site: PageSite, _ request: Request, _ context: ServerRequestContext) {
        self.site = site
        self.request = request
        self.context = context
        let known = site.cookie.value(in: request).flatMap { SessionCookieValue($0) }
        secret = known ?? .random()
        isNew = known == nil
        notice = site.noticeCookie.value(in: request).flatMap { FlashMessage(cookie: $0) }
    }

    /// The path without its query.
    var path: String { request.uri.path }

    // MARK: - Responses

    /// Responds with a page, and with `Set-Cookie` fields in addition to the site's own.
    func show(_ page: Page, cookies: [String] = []) throws -> Response {
        let templates = try PageTemplates.embedded.get()
        var frame = PageLayout(self, page, notice: notice?.text)
        frame.main = try templates.render(page.template, PageTemplateContext(frame: frame))
        var response = PageResponse.html(try templates.render("layout", frame), status: page.status, isSecure: isSecure)
        if isNew && canSetSessionCookie { response.headers.append(cookie: site.cookie.setting(secret.text)) }
        if notice != nil { response.headers.append(cookie: site.noticeCookie.clearing) }
        for cookie in cookies { response.headers.append(cookie: cookie) }
        return response
    }

    /// Redirects after a form, so that a reload does not repeat it; the next page shows the notice once.
    func redirect(to path: String, _ notice: FlashMessage? = nil, cookies: [String] = []) -> Response {
        var response = PageResponse.seeOther(path)
        if let notice {
            let value = site.noticeCookie.setting(notice.cookieValue, for: FlashMessage.lifetime)
            response.headers.append(cookie: value)
        }
        for cookie in cookies { response.headers.append(cookie: cookie) }
        return response
    }

    // MARK: - Conditions

    /// Whether a request without the cookie means that the browser has none.
    ///
    /// Requests caused by another site also lack the cookie, and a new cookie would replace the existing one.
    private var canSetSessionCookie: Bool {
        func fetch(_ name: String) -> String? { HTTPField.Name("Sec-Fetch-\(name)").flatMap { request.headers[$0] } }
        guard isSecure, request.method == .get, fetch("Mode") ?? "navigate" == "navigate" else { return false }
        return site.cookie.sameSite == .lax || fetch("Site") != "cross-site"
    }

    var isSecure: Bool { site.transport.isSecure(request, context) }

    /// Throws an explanation if a browser would drop the cookie, and would then be redirected endlessly.
    func requireSecureTransport() throws {
        guard !isSecure else { return }
        throw PageError(
            .forbidden,
            "This page needs a secure connection",
            """
            It was opened over plain HTTP, which others on the network can read, and your browser does not store the \
            sign-in. Open it with https:// at the beginning of its address. On the machine of the server, \
            http://localhost works as well.
            """
        )
    }

    /// Reads a form, and checks that a page of this site sent it from this browser.
    func validatedForm() async throws -> PageForm {
        guard site.transport.isSameOriginForm(request) else {
            throw PageError(
                .forbidden,
                "This form came from another site",
                "Another website tried to send a form in your name. Nothing was changed."
            )
        }
        let form = try await PageForm(request)
        guard !isNew else {
            throw PageError(
                .badRequest,
                "Your browser did not send its cookie",
                """
                This page needs a cookie: allow cookies for this site, and open it with https:// (or as \
                http://localhost on the machine of the server). Nothing was changed.
                """
            )
        }
        guard secret.accepts(form[PageForm.tokenField]) else {
            throw PageError(
                .forbidden,
                "This form has expired",
                """
                It was opened before you signed in or out. Nothing was changed. Go back, reload the page, and send the \
                form again.
                """
            )
        }
        return form
    }
}

extension HTTPFields {
    /// Adds a `Set-Cookie` field to the existing ones.
    mutating func append(cookie: String) { append(HTTPField(name: .setCookie, value: cookie)) }
}
