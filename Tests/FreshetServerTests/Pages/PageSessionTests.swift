// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetPages
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `A sign-in to the pages` {
    let server = ServerUnderTest()
    let email = "ann@example.com"

    @Test func `a page session ends after its idle time, and continues when it is used`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            for _ in 1...3 {
                server.advance(by: .seconds(29 * 60))
                #expect(try await browser.open("/account").heading == "Your devices")
            }
            server.advance(by: .seconds(30 * 60))
            #expect(try await browser.open("/account").heading == "Sign in")
        }
    }

    @Test func `a page session ends after its maximum lifetime regardless of use`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            var headings: [String?] = []
            for _ in 1...25 {
                server.advance(by: .seconds(29 * 60))
                headings.append(try await browser.open("/account").heading)
            }
            #expect(headings == Array(repeating: "Your devices", count: 24) + ["Sign in"])
        }
    }

    @Test func `a page session ends with its session, regardless of the cause`() async throws {
        try await server.run { caller in
            let grant = try await caller.signUp(email)
            let id = try #require(UUID(uuidString: grant.user.id))
            let endings: [@Sendable () async throws -> Void] = [
                { _ = try await caller.send(.post, NativePath.logoutAll, bearer: try await caller.code(email)) },
                {
                    let adminService = AdminService(
                        database: caller.database,
                        clock: server.readClock,
                        authority: .command
                    )
                    _ = try await adminService.disable(id)
                    try await adminService.enable(id)
                },
                {
                    let adminService = try AdminService(
                        in: server.folder,
                        database: server.database,
                        clock: { [server] in server.readClock() }
                    )
                    _ = try await adminService.end(of: id)
                    try adminService.close()
                },
            ]
            for end in endings {
                server.advance(by: .seconds(3600))
                let browser = try Browser(caller)
                try await browser.signIn(email, caller)
                #expect(try await browser.open("/account").heading == "Your devices")
                try await end()
                #expect(try await browser.open("/account").heading == "Sign in")
                let form = try await browser.submit("/account/sign-out-everything")
                #expect(form.location == "/account", "a form of somebody who is signed out does nothing")
            }
        }
    }

    /// As after the promotion of a standby that lacks the end.
    @Test func `a page session that has ended stays ended when the database has lost its end`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            let cookies = browser.cookies
            #expect(try await browser.submit("/account/sign-out").location == "/account")
            browser.cookies = cookies
            let lost = try await caller.database.durably {
                try $0.execute("UPDATE sessions SET ended_at = NULL, reason = NULL WHERE ended_at IS NOT NULL", [])
            }
            try #require(lost == 1)
            #expect(try await browser.open("/account").heading == "Sign in")
        }
    }

    @Test func `a signed-out page session stays ended when the browser sends its old cookie`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            let cookies = browser.cookies
            #expect(try await browser.submit("/account/sign-out").location == "/account")
            #expect(browser.cookies[Browser.cookie] == nil)
            browser.cookies = cookies
            #expect(try await browser.open("/account").heading == "Sign in")
        }
    }

    @Test func `a page session does not count towards the limit of sessions per user`() async throws {
        var configuration = server.configuration
        configuration.signIn.sessionsPerUser = 1
        try await server.run(configuration) { caller in
            let grant = try await caller.code(email, device: Device(name: "Phone"))
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            #expect(try await browser.open("/account").text.contains("2 devices are signed in"))
            #expect(try await caller.send(.get, NativePath.me, bearer: grant).status == 200)
            // Nor does a device take the page's, or lose its own to it.
            _ = try await caller.code(email, device: Device(name: "Tablet"))
            #expect(try await browser.open("/account").text.contains("2 devices are signed in"))
        }
    }

    @Test func `a sign-in code that a page requested yields no tokens at the API`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            _ = try await browser.submit("/account/sign-in", ["email": email])
            let code = try #require(caller.sentCode("login code"))
            let formToken = try #require(try await browser.open("/account/code").hidden(PageForm.tokenField))
            let secret = try #require(browser.cookies[Browser.cookie].flatMap { SessionCookieValue($0) })
            _ = try await browser.submit("/account/code", ["code": code.code], formToken: formToken)
            let verification = CodeVerification(attempt: code.attempt, code: code.code, intent: secret.intent?.text)
            #expect(try await caller.post(NativePath.loginCodeVerify, verification).error == "400 invalid_grant")
            #expect(try await browser.open("/account").heading == "Your devices")
        }
    }

    @Test func `a repeated sign-in form gets a new cookie, and the previous cookie becomes invalid`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            _ = try await browser.submit("/account/sign-in", ["email": email])
            let code = try #require(caller.sentCode("login code")?.code)
            let formToken = try #require(try await browser.open("/account/code").hidden(PageForm.tokenField))
            let before = browser.cookies
            _ = try await browser.submit("/account/code", ["code": code], formToken: formToken)
            let first = browser.cookies
            browser.cookies = before
            _ = try await browser.submit("/account/code", ["code": code], formToken: formToken)
            #expect(try await browser.open("/account").heading == "Your devices")
            browser.cookies = first
            #expect(try await browser.open("/account").heading == "Sign in")
        }
    }

    @Test func `a page session is deleted from the database only after it has expired`() async throws {
        try await server.run { caller in
            let browser = try Browser(caller)
            try await browser.signIn(email, caller)
            func rows() throws -> Int64? {
                try caller.parts.database.readNow { try $0.number("SELECT count(*) FROM page_sessions") }
            }
            let forget = { @Sendable (now: Timestamp) in
                try await caller.parts.database.backgroundWrite {
                    try PageSessionTable.deleteExpired(before: now, batch: 10, in: $0)
                }
            }
            #expect(try await forget(server.readClock()) == 0)
            #expect(try rows() == 1)
            #expect(try await forget(server.readClock() + .seconds(13 * 3600)) == 1)
            #expect(try rows() == 0)
        }
    }
}

extension TestHTTPClient {
    /// Signs in by code as an app does; the access token.
    func code(_ email: String, device: Device? = nil) async throws -> String {
        let (attempt, code) = try await code(for: email)
        let verification = CodeVerification(attempt: attempt, code: code, device: device)
        return try await post(NativePath.loginCodeVerify, verification).json(SessionTokens.self).accessToken
    }
}
