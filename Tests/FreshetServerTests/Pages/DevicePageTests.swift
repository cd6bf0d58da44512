// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetPages
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `The page of devices` {
    let server = ServerUnderTest()
    let email = "ann@example.com"

    @Test func `the device pages escape HTML in a device's name`() async throws {
        try await server.run { caller in
            let name = #"<script>alert("1")</script>"# + "\"\u{301} onfocus=x"
            let token = try await caller.code(email, device: Device(name: name, app: "<img src=x>"))
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            let page = try await browser.open("/account")
            #expect(!page.text.contains("<script"))
            #expect(!page.text.contains("<img src=x"))
            #expect(page.text.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"))
            let id = try await caller.id(token)
            let form = try await browser.open("/account/devices/\(id)/name")
            #expect(form.text.contains("&quot;\u{301} onfocus=x"))
        }
    }

    @Test func `the account page removes bidirectional control characters from a device's name`() async throws {
        try await server.run { caller in
            _ = try await caller.code(email, device: Device(name: "enohP\u{202E}\u{0} 👩\u{200D}👧", app: "A\u{2066}pp"))
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            let page = try await browser.open("/account")
            #expect(page.text.contains("enohP 👩\u{200D}👧") && page.text.contains("App"))
        }
    }

    @Test func `a user renames a device on one line with limited length, and an empty name shows the model`()
        async throws
    {
        try await server.run { caller in
            let token = try await caller.code(email, device: Device(name: "iPhone of Ann", model: "iPhone 17"))
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            let path = "/account/devices/\(try await caller.id(token))/name"
            for (name, shown) in [("  Pocket \u{202E}\n1 ", "Pocket 1"), ("", "iPhone 17")] {
                #expect(try await browser.submit(path, ["name": name]).location == "/account")
                #expect(try await browser.open("/account").text.contains("<bdi>\(shown)</bdi>"))
            }
            _ = try await browser.submit(path, ["name": String(repeating: "n", count: 500)])
            let longest = String(repeating: "n", count: AccountPages.longestName)
            #expect(try await browser.open("/account").text.contains("<bdi>\(longest)</bdi>"))
            // One character with any number of combining marks.
            let marked = "b" + String(repeating: "\u{301}", count: 1_000)
            #expect(try await browser.submit(path, ["name": "a" + marked]).location == "/account")
            #expect(try await browser.open("/account").text.contains("<bdi>a</bdi>"))
        }
    }

    @Test
    func `a user ends one session, the others, or all on the device pages, and each end is logged with its reason`()
        async throws
    {
        try await server.run { caller in
            let phone = try await caller.code(email, device: Device(name: "Phone"))
            let tablet = try await caller.code(email, device: Device(name: "Tablet"))
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            let path = "/account/devices/\(try await caller.id(phone))/sign-out"
            #expect(try await browser.open(path).heading == "Sign out “Phone”?")
            #expect(try await caller.status(phone) == 200, "looking does nothing")
            #expect(try await browser.submit(path).location == "/account")
            #expect(try await browser.open("/account").notice == "“Phone” is signed out.")
            #expect(try await caller.status(phone) == 401)
            #expect(try await caller.status(tablet) == 200)
            #expect(try await browser.submit("/account/sign-out-others").location == "/account")
            #expect(try await browser.open("/account").notice == "The other device is signed out.")
            #expect(try await caller.status(tablet) == 401)
            let next = try await caller.code(email)
            #expect(try await browser.submit("/account/sign-out-everything").location == "/account")
            #expect(try await browser.open("/account").heading == "Sign in")
            #expect(try await caller.status(next) == 401)
            let reasons = server.log.lines.filter { $0["message"] == "session ended" }.compactMap { $0["reason"] }
            #expect(reasons.prefix(2) == ["revoked_by_user", "revoked_by_user"])
            #expect(reasons.dropFirst(2) == ["logout_all", "logout_all"])
        }
    }

    @Test func `the device pages neither show nor change another user's devices`() async throws {
        try await server.run { caller in
            let theirs = try await caller.code("bob@example.com", device: Device(name: "Theirs"))
            let id = try await caller.id(theirs)
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            let list = try await browser.open("/account").text
            #expect(!list.contains("Theirs"))
            for page in ["name", "sign-out"] {
                #expect(try await browser.open("/account/devices/\(id)/\(page)").status == 404)
                #expect(try await browser.submit("/account/devices/\(id)/\(page)", ["name": "Mine"]).status == 404)
            }
            #expect(try await browser.open("/account/devices/nothing/name").status == 404)
            #expect(try await caller.status(theirs) == 200)
        }
    }

    @Test func `the history page describes the account's sign-ins and sign-outs, and contains no refresh token`()
        async throws
    {
        try await server.run { caller in
            let phone = try await caller.code(email, device: Device(name: "Phone", platform: "iOS"))
            let grant = try await caller.signInByCode(email, Device(name: "<b>Stolen</b>", platform: "iPadOS"))
            _ = try await caller.refresh(grant.refreshToken, .random())
            _ = try await caller.refresh(grant.refreshToken, .random())
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            _ = try await browser.submit("/account/devices/\(try await caller.id(phone))/sign-out")
            let page = try await browser.open("/account/history")
            #expect(page.heading == "History")
            for phrase in [
                "Signed out by you", "You did that from “Firefox on Linux”.", "Signed out to protect you",
                "With a code by e-mail.", "New device", "&lt;b&gt;Stolen&lt;/b&gt;",
            ] { #expect(page.text.contains(phrase), "\(phrase)") }
            #expect(!page.text.contains(grant.refreshToken))
        }
    }

    @Test func `the history page limits refused sign-ins, and still shows successful ones`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            await caller.parts.audit.write()
            let user = try await caller.parts.database.read {
                try UserTable.find(#require(EmailAddress("ann@example.com")), in: $0)
            }
            for _ in 0..<300 {
                let refusal = ServerEvent.Refusal(method: .password, user: user?.id)
                caller.parts.sessions.events.emit(.loginRefused(refusal))
            }
            let page = try await browser.open("/account/history")
            #expect(page.text.contains("Signed in"))
            #expect(page.text.components(separatedBy: "A sign-in was refused").count == 21)
        }
    }

    @Test func `device pages require a sign-in`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            let id = SessionID.random()
            for path in [
                "/account/history", "/account/devices/\(id)/name", "/account/devices/\(id)/sign-out",
                "/account/sign-out-others", "/account/sign-out-everything",
            ] {
                #expect(try await browser.open(path).location == "/account", "\(path)")
                if path != "/account/history" {
                    #expect(try await browser.submit(path).location == "/account", "\(path)")
                }
            }
            #expect(try await browser.open("/account").notice?.hasPrefix("Please sign in:") == true)
        }
    }
}

extension TestHTTPClient {
    fileprivate func id(_ token: String) async throws -> SessionID {
        try await send(.get, NativePath.me, bearer: token).json(Me.self).sessionID
    }

    fileprivate func status(_ token: String) async throws -> Int {
        try await send(.get, NativePath.me, bearer: token).status
    }

    fileprivate func signInByCode(_ email: String, _ device: Device) async throws -> SessionTokens {
        let (attempt, code) = try await code(for: email)
        return try await post(
            NativePath.loginCodeVerify,
            CodeVerification(attempt: attempt, code: code, device: device)
        ).json()
    }
}
