// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetMail
@testable import FreshetPages
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `The account page` {
    let server = ServerUnderTest()
    let email = "ann@example.com"

    @Test func `a mailed code signs in a browser, whose cookie is stored as a digest and never logged`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            let done = try await browser.signIn(email, caller)
            #expect(done.status == 303)
            #expect(done.location == "/account")
            let page = try await browser.open("/account")
            #expect(page.heading == "Your devices")
            #expect(page.notice == "You are signed in.")
            #expect(page.text.contains("Firefox on Linux"))
            #expect(try await browser.open("/account").notice == nil, "the notice is shown once")
            let (kept, tokens) = try caller.parts.database.readNow { database in
                (
                    try database.row("SELECT digest FROM page_sessions") { try $0[0] as Data },
                    try database.number("SELECT cur FROM sessions")
                )
            }
            let cookie = try #require(browser.cookies[Browser.cookie])
            let secret = try #require(SessionCookieValue(cookie))
            #expect(kept == secret.digest)
            #expect(tokens == 0)
            let logged = server.log.lines.flatMap(\.values)
            let told = logged.filter { $0.contains(cookie) }
            #expect(told == [])
        }
    }

    @Test func `a sign-in replaces the browser's cookie`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            _ = try await browser.open("/account")
            let planted = browser.cookies
            try await browser.signIn(email, caller)
            #expect(browser.cookies[Browser.cookie] != planted[Browser.cookie])
            let thief = try Browser(caller)
            thief.cookies = planted
            #expect(try await thief.open("/account").heading == "Sign in")
        }
    }

    @Test func `a code form that is submitted twice opens one session`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            _ = try await browser.submit("/account/sign-in", ["email": email])
            let code = try #require(caller.sentCode("login code")?.code)
            let formToken = try #require(try await browser.open("/account/code").hidden(PageForm.tokenField))
            let before = browser.cookies
            _ = try await browser.submit("/account/code", ["code": code], formToken: formToken)
            browser.cookies = before
            let again = try await browser.submit("/account/code", ["code": code], formToken: formToken)
            #expect(again.location == "/account")
            #expect(try await browser.open("/account").text.contains("One device is signed in"))
        }
    }

    @Test func `account forms from other origins, or without their form token or cookie, are refused`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp("bob@example.com")
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            let port = try #require(caller.port)
            let foreign: [[String: String]] = [
                ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Site": "none"],
                ["Origin": "null"], ["Origin": "https://evil.example"], ["Origin": "http://localhost:1"],
            ]
            for headers in foreign {
                let answer = try await browser.submit("/account/sign-out-everything", headers: headers)
                #expect(answer.status == 403, "\(headers)")
                #expect(answer.heading == "This form came from another site")
            }
            for formToken in ["", "x", SessionCookieValue.random().formToken] {
                let answer = try await browser.submit("/account/sign-out-everything", formToken: formToken)
                #expect(answer.status == 403)
                #expect(answer.heading == "This form has expired")
            }
            let formToken = try #require(try await browser.open("/account").hidden(PageForm.tokenField))
            let bare = try Browser(caller)
            #expect(try await bare.submit("/account/sign-out-everything", formToken: formToken).status == 400)
            let json = try await browser.send("POST", "/account/sign-out", "{}", ["Content-Type": "application/json"])
            #expect(json.status == 415)
            #expect(try await browser.open("/account").heading == "Your devices", "none of it was done")
            #expect(try await caller.sessions(grant).count == 1)
            let own = ["Origin": "http://localhost:\(port)", "Sec-Fetch-Site": "same-origin"]
            #expect(try await browser.submit("/account/sign-out", headers: own).status == 303)
        }
    }

    @Test func `an account form with the issuer's origin is accepted although the request's host differs`() async throws
    {
        var configuration = server.configuration
        configuration.issuer = "https://id.acme.example"
        try await server.run(configuration) { caller in
            let browser = try Browser(caller)
            let answer = try await browser.submit(
                "/account/sign-in",
                ["email": email],
                headers: ["Origin": "https://id.acme.example"]
            )
            #expect(answer.location == "/account/code")
        }
    }

    @Test func `a form with an attacker's code and form token does not sign in a victim's browser`() async throws {
        try await server.run { caller in
            let (attempt, code) = try await caller.code(for: "mallory@example.com")
            let victim = try Browser(caller)
            _ = try await victim.open("/account")
            victim.cookies[PendingEmailCode.cookie.name] = PendingEmailCode(attempt: attempt, email: "x").cookieValue
            let mallory = try Browser(caller)
            let formToken = try #require(try await mallory.open("/account").hidden(PageForm.tokenField))
            #expect(try await victim.submit("/account/code", ["code": code], formToken: formToken).status == 403)
            #expect(try await victim.open("/account").heading == "Sign in")
        }
    }

    @Test func `a code makes the browser known for the proven address, not for the one in its cookie`() async throws {
        var configuration = server.behindProxy
        configuration.signIn.limits.codesFromUnknownOrigins = RateLimit(capacity: 1, interval: .seconds(600))
        try await server.run(configuration) { caller in
            func request(_ email: String, _ browser: Browser, from network: String) async throws -> Int {
                let fields = ["email": email]
                let headers = ["X-Forwarded-For": network]
                return try await browser.submit("/account/sign-in", fields, headers: headers).status
            }
            let browser = try Browser(caller)
            #expect(try await request("mallory@example.com", browser, from: "192.0.2.1") == 303)
            let sent = try #require(caller.sentCode("login code"))
            let named = PendingEmailCode(attempt: sent.attempt, email: email)
            browser.cookies[PendingEmailCode.cookie.name] = named.cookieValue
            #expect(try await browser.submit("/account/code", ["code": sent.code]).status == 303)
            let known = browser.cookies.filter { $0.key == KnownBrowser.cookie.name }
            #expect(!known.isEmpty)
            // A stranger uses up what strangers have for either address.
            for address in [email, "mallory@example.com"] {
                _ = try await request(address, try Browser(caller), from: "192.0.2.2")
                #expect(try await request(address, try Browser(caller), from: "192.0.2.3") == 429)
            }
            for (address, status) in [(email, 429), ("mallory@example.com", 303)] {
                let other = try Browser(caller)
                other.cookies = known
                #expect(try await request(address, other, from: "192.0.2.4") == status, "\(address)")
            }
        }
    }

    @Test func `a browser is not known after a reset of the password`() async throws {
        var configuration = server.behindProxy
        configuration.signIn.limits.codesFromUnknownOrigins = RateLimit(capacity: 2, interval: .seconds(600))
        try await server.run(configuration) { caller in
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            let known = browser.cookies.filter { $0.key == KnownBrowser.cookie.name }
            func request(from network: String) async throws -> Int {
                let other = try Browser(caller)
                other.cookies = known
                let headers = ["X-Forwarded-For": network]
                return try await other.submit("/account/sign-in", ["email": email], headers: headers).status
            }
            // The sign-in has had one of the two; then strangers have none left.
            let codes = CodeRequest(email: email)
            #expect(try await caller.post(NativePath.passwordReset, codes, from: "192.0.2.1").status == 202)
            let reset = try #require(caller.sentCode("reset code"))
            #expect(try await caller.post(NativePath.loginCode, codes, from: "192.0.2.2").status == 429)
            #expect(try await request(from: "192.0.2.3") == 303)
            server.advance(by: .seconds(2))
            let update = ["attempt": reset.attempt, "code": reset.code, "new_password": "another horse"]
            #expect(try await caller.post(NativePath.password, update, from: "192.0.2.1").status < 300)
            #expect(try await request(from: "192.0.2.4") == 429)
        }
    }

    @Test func `a sign-in form that is too large or repeats a field is refused`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            let long = String(repeating: "a", count: PageForm.limit)
            #expect(try await browser.submit("/account/sign-in", ["email": long]).status == 413)
            let twice = try await browser.send("POST", "/account/sign-in", "email=a&email=b", [:])
            #expect(twice.status == 400)
        }
    }

    @Test func `wrong codes are counted, and requests for many codes are refused`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            _ = try await browser.submit("/account/sign-in", ["email": email])
            let code = try #require(caller.sentCode("login code")?.code)
            let wrong = code == "000000" ? "000001" : "000000"
            for _ in 1...5 {
                let answer = try await browser.submit("/account/code", ["code": wrong], from: "/account/code")
                #expect(answer.status == 422)
                #expect(answer.text.contains("This code is wrong, was used, or has expired."))
            }
            let late = try await browser.submit("/account/code", ["code": code], from: "/account/code")
            #expect(late.status == 422, "five wrong ones spoil the right one")
            for _ in 1...4 { _ = try await browser.submit("/account/sign-in", ["email": email]) }
            let many = try await browser.submit("/account/sign-in", ["email": email])
            #expect(many.status == 429)
            #expect(many.heading == "Too many tries")
            #expect(many.fields["retry-after"] != nil)
        }
    }

    @Test func `the page after a code request is the same for known and unknown addresses`() async throws {
        try await server.run { caller in
            _ = try await caller.signUp("known@example.com")
            var pages: [String] = []
            for address in ["known@example.com", "nobody@example.com"] {
                let browser = try Browser(caller)
                _ = try await browser.submit("/account/sign-in", ["email": address])
                let page = try await browser.open("/account/code")
                let formToken = try #require(page.hidden(PageForm.tokenField))
                pages.append(page.text.replacing(formToken, with: "").replacing(address, with: ""))
            }
            #expect(pages[0] == pages[1])
        }
    }

    @Test func `a correct code for a closed account is refused with 403, and the page names the reason`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp(email)
            let id = try #require(UUID(uuidString: grant.user.id))
            let adminService = try AdminService(in: server.folder, clock: { [server] in server.readClock() })
            _ = try await adminService.disable(id)
            let browser = try Browser(caller)
            let answer = try await browser.signIn(email, caller)
            #expect(answer.status == 403)
            #expect(answer.heading == "This account is closed")
            try adminService.close()
        }
    }

    @Test func `the account page reports that sign-in is unavailable if the server sends no mail`() async throws {
        var configuration = server.configuration
        configuration.mail = .none
        try await server.run(configuration) { caller in
            let page = try await Browser(caller).open("/account")
            #expect(page.heading == "Sign-in is not available here")
        }
    }
}
