// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetHTTP
import FreshetWire
import HTTPTypes
import Hummingbird
import NIOCore

/// A site: pages under a common path, with a common name and separate cookies.
///
///     let site = PageSite(name: "Acme account", home: "/account", cookieName: "account", transport: transport)
///     site.addAssets(to: &table)
///     site.get("/account", in: &table) { visit in try visit.show(Page("account", title: "Devices", content)) }
///     site.post("/account/name", in: &table) { visit, form in
///         visit.redirect(to: "/account", FlashMessage("Saved."))
///     }
package struct PageSite: Sendable {
    /// The name at the head of every page.
    let name: String
    /// The path of the first page, such as `/account`, and the prefix of all other paths.
    let home: String
    let cookie: PageCookie
    let noticeCookie: PageCookie
    let transport: PageTransport
    /// The links for signed-in users.
    var links: [Link] = []

    struct Link: Sendable {
        var path: String
        var title: String

        init(_ path: String, _ title: String) {
            self.path = path
            self.title = title
        }
    }

    /// Creates a site.
    ///
    /// - Parameters:
    ///   - name: The name at the head of every page.
    ///   - home: The path of the first page.
    ///   - cookieName: The name of the cookies; a host's ports share cookies, so each site needs a separate name.
    ///   - sameSite: Whether the cookies are sent with links from other sites.
    ///   - transport: The transport by which requests reach the site.
    ///   - links: The links for signed-in users.
    init(
        name: String,
        home: String,
        cookieName: String,
        sameSite: PageCookie.SameSite = .lax,
        transport: PageTransport,
        links: [Link] = []
    ) {
        self.name = name
        self.home = home
        cookie = PageCookie(cookieName, sameSite: sameSite)
        noticeCookie = PageCookie("\(cookieName)-notice", sameSite: sameSite)
        self.transport = transport
        self.links = links
    }

    /// Whether a path belongs to the site, with or without a page.
    func has(_ path: String) -> Bool { path == home || path.hasPrefix(home + "/") }

    // MARK: - Routes

    /// Adds a page.
    func get(
        _ path: String,
        in table: inout RouteTable,
        _ answer: @escaping @Sendable (PageRequestContext) async throws -> Response
    ) {
        table.page(.get, path) { request, context in
            let visit = PageRequestContext(self, request, context)
            try visit.requireSecureTransport()
            return try await answer(visit)
        }
    }

    /// Adds a form of this site; it responds with ``PageRequestContext/redirect(to:_:cookies:)``.
    func post(
        _ path: String,
        in table: inout RouteTable,
        _ answer: @escaping @Sendable (PageRequestContext, PageForm) async throws -> Response
    ) {
        table.page(.post, path) { request, context in
            let visit = PageRequestContext(self, request, context)
            try visit.requireSecureTransport()
            let form = try await visit.validatedForm()
            return try await answer(visit, form)
        }
    }

    /// Adds the stylesheet and the icon, under names that change with their content.
    func addAssets(to table: inout RouteTable) {
        let assets = [
            (stylesheet, "text/css; charset=utf-8", EmbeddedPages.stylesheet),
            (icon, "image/svg+xml", EmbeddedPages.icon),
        ]
        for (path, type, text) in assets {
            table.page(.get, path) { _, _ in
                var headers = PageResponse.assetHeaders
                headers[.contentType] = type
                return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
            }
        }
    }

    var stylesheet: String { "\(home)/style-\(Self.stylesheetDigest).css" }
    var icon: String { "\(home)/icon-\(Self.iconDigest).svg" }

    private static let stylesheetDigest = digest(EmbeddedPages.stylesheet)
    private static let iconDigest = digest(EmbeddedPages.icon)

    private static func digest(_ text: String) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Data(text.utf8))).prefix(9))
    }
}
