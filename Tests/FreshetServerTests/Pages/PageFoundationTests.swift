// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import HTTPTypes
import Testing

@testable import FreshetPages
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `A page` {
    let server = ServerUnderTest()

    @Test func `has a policy without exceptions, is in no cache and in no frame`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            for path in ["/account", "/account/nothing-here", "/account/sign-in"] {
                let fields = try await browser.open(path).fields
                #expect(
                    fields["content-security-policy"]
                        == "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
                        + "frame-ancestors 'none'; base-uri 'none'"
                )
                #expect(fields["cache-control"] == "no-store")
                #expect(fields["x-content-type-options"] == "nosniff")
                #expect(fields["x-frame-options"] == "DENY")
                #expect(fields["referrer-policy"] == "same-origin")
                #expect(fields["cross-origin-opener-policy"] == "same-origin")
                #expect(fields["permissions-policy"]?.contains("camera=()") == true)
            }
        }
    }

    @Test func `has a stylesheet whose name changes with it, and which is kept for a year`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            let page = try await browser.open("/account")
            let start = try #require(page.text.range(of: #"<link rel="stylesheet" href=""#)?.upperBound)
            let path = String(page.text[start...].prefix { $0 != "\"" })
            let style = try await browser.open(path)
            #expect(style.status == 200)
            #expect(style.fields["content-type"] == "text/css; charset=utf-8")
            #expect(style.fields["cache-control"] == "public, max-age=31536000, immutable")
            #expect(style.text == EmbeddedPages.stylesheet)
        }
    }

    @Test func `has a cookie of the host's own that no script sees`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            _ = try await browser.open("/account")
            let value = try #require(browser.cookies[Browser.cookie])
            #expect(
                browser.lastCookies == ["\(Browser.cookie)=\(value); Path=/; Secure; HttpOnly; SameSite=Lax"]
            )
            _ = try await browser.open("/account")
            #expect(browser.lastCookies == [], "it is given once")
            browser.cookies[Browser.cookie] = "made-up"
            _ = try await browser.open("/account")
            #expect(browser.lastCookies.count == 1, "what is none is replaced")
        }
    }

    @Test func `puts out no cookie when another site makes the browser ask without it`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            let post = try await browser.send("POST", "/account/sign-out", "x=y", ["Sec-Fetch-Site": "cross-site"])
            #expect(post.status == 403)
            #expect(browser.lastCookies == [])
            _ = try await browser.open("/account", headers: ["Sec-Fetch-Mode": "no-cors"])
            #expect(browser.lastCookies == [])
            _ = try await browser.open("/account", headers: ["Sec-Fetch-Site": "cross-site"])
            #expect(browser.lastCookies.count == 1, "a link brings the cookie, if there is one")
        }
    }

    @Test func `errors under the pages' paths are pages, and others are JSON`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            let missing = try await browser.open("/account/nothing-here")
            #expect(missing.status == 404)
            #expect(missing.heading == "There is no such page")
            let wrong = try await browser.send("PUT", "/account", nil, [:])
            #expect(wrong.status == 405)
            #expect(wrong.fields["allow"]?.contains("GET") == true)
            #expect(wrong.fields["content-type"] == "text/html; charset=utf-8")
            let json = try await browser.open("/accountant")
            #expect(json.fields["content-type"] == "application/json")
        }
    }

    @Test func `is not served when pages are off`() async throws {
        var configuration = server.configuration
        configuration.pages.isOn = false
        try await server.run(configuration) { caller in
            let error = try await caller.send(.get, "/account").error
            #expect(error == "404 not_found")
        }
    }

    @Test func `says plainly that it needs a secure connection, and gives no cookie then`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            let plain = ["X-Forwarded-Proto": "http", "Host": "acme.example"]
            let page = try await browser.open("/account", headers: plain)
            #expect(page.status == 403)
            #expect(page.heading == "This page needs a secure connection")
            #expect(browser.lastCookies == [])
            #expect(page.fields["cross-origin-opener-policy"] == nil)
            let secure = ["X-Forwarded-Proto": "https", "Host": "acme.example"]
            #expect(try await browser.open("/account", headers: secure).heading == "Sign in")
        }
    }
}

@Suite struct `A template` {
    @Test func `can be read, with all the others`() throws {
        let templates = try PageTemplates.embedded.get()
        #expect(EmbeddedPages.templates.count >= 9)
        #expect(throws: APIError.self) { try templates.render("no such template", 1) }
    }

    @Test func `escapes whatever it is given, and nothing can switch that off but the layout and pictures`() {
        for (name, text) in EmbeddedPages.templates {
            #expect(!text.contains("{{&"), "\(name)")
            #expect(!text.contains("{{%"), "\(name)")
            let raw = text.matches(of: /\{\{\{(.*?)\}\}\}/).map { String($0.1) }
            let others = raw.filter { !$0.hasSuffix("SVG") && !(name == "layout" && $0 == "main") }
            #expect(others == [], "\(name)")
            #expect(!text.contains("<script"), "\(name)")
            #expect(!text.contains(" style="), "\(name)")
            #expect(!text.contains(#/ on[a-z]+=/#), "\(name)")
            let forms = text.components(separatedBy: "<form").count - 1
            let tokens = text.components(separatedBy: #"name="{{formTokenField}}" value="{{formToken}}""#).count - 1
            #expect(forms == tokens, "\(name): a form without a form token")
        }
    }

    @Test(arguments: [
        ("<b>", "&lt;b&gt;"), ("\"\u{301} onfocus=x", "&quot;\u{301} onfocus=x"),
        ("<\u{338}script", "&lt;\u{338}script"),
        ("'&`", "&#39;&amp;&#96;"), ("{{title}}", "{{title}}"),
    ])
    func `escapes by scalars, so that an accent hides no quotation mark`(text: String, escaped: String) throws {
        let templates = try PageTemplates(["one": #"{{#items}}<p title="{{.}}">{{/items}}"#])
        let page = try templates.render("one", ["items": [text]])
        #expect(Array(page.unicodeScalars) == Array("<p title=\"\(escaped)\">".unicodeScalars))
    }
}

@Suite struct `A page's secret` {
    @Test func `prints a mask, and is kept as a digest only`() throws {
        let secret = SessionCookieValue.random()
        #expect("\(secret)" == "page secret •••")
        #expect(SessionCookieValue(secret.text) == secret)
        #expect(secret.digest.count == 32)
        #expect(secret.digest != Data(secret.text.utf8))
        #expect(SessionCookieValue(secret.text + "A") == nil)
        #expect(SessionCookieValue("") == nil)
    }

    @Test func `a session's form token is accepted by no other session`() {
        let (secret, other) = (SessionCookieValue.random(), SessionCookieValue.random())
        #expect(secret.accepts(secret.formToken))
        #expect(!other.accepts(secret.formToken))
        for formToken in ["", "x", String(secret.formToken.dropLast()), secret.text] {
            #expect(!secret.accepts(formToken))
        }
        #expect(secret.intent != other.intent)
        #expect(secret.intent != nil)
    }
}

@Suite struct `A browser's name` {
    @Test(arguments: [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                + "Version/18.0 Mobile/15E148 Safari/604.1", "Safari on iPhone"
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 "
                + "Safari/537.36 Edg/140.0.0.0", "Edge on Windows"
        ),
        (
            "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 "
                + "Mobile Safari/537.36", "Chrome on Android"
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                + "Version/18.0 Safari/605.1.15", "Safari on Mac"
        ),
        ("<script>", "A browser"), ("", "A browser"),
    ])
    func `is read from what it says`(agent: String, name: String) {
        #expect(BrowserName(agent).text == name)
        #expect(BrowserName(nil).text == "A browser")
    }
}
