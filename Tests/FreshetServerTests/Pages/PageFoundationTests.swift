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

    @Test func `a page has a strict content security policy, and forbids caching and framing`() async throws {
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

    @Test func `a page's stylesheet is served as immutable with a cache lifetime of one year`() async throws {
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

    @Test func `a page sets a Secure and HttpOnly cookie once, and replaces an invalid value`() async throws {
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

    @Test func `a response to a cross-site form or a no-cors request sets no cookie`() async throws {
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

    @Test func `the account page is not served when pages are disabled`() async throws {
        var configuration = server.configuration
        configuration.pages.isOn = false
        try await server.run(configuration) { caller in
            let error = try await caller.send(.get, "/account").error
            #expect(error == "404 not_found")
        }
    }

    @Test func `a page over an insecure connection is refused with an explanation, and sets no cookie`() async throws {
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
}
