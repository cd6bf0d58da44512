// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetSystem
import FreshetWire
import HTTPTypes
import Testing

@testable import FreshetDatabase
@testable import FreshetHTTP
@testable import FreshetIdentity
@testable import FreshetPages
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `The operators' sign-in` {
    let server = ServerUnderTest()

    private func kinds() throws -> [AuditEvent.Kind] {
        let database = try SQLiteDatabase(in: server.folder)
        defer { try? database.close() }
        return try database.readNow { try $0.rows("SELECT kind FROM events ORDER BY id") { try $0[0] } }
            .compactMap { AuditEvent.Kind(rawValue: $0) }
    }

    @Test func `an operator needs the password, gets a new cookie, and every sign-in attempt is in the audit trail`()
        async throws
    {
        try await server.operated { _, browser in
            #expect(try await browser.get("/operator").location == OperatorAuthentication.signIn)
            let wrong = try await browser.signIn("another password")
            #expect(wrong.status == 403 && wrong.text.contains("The password is wrong."))
            let before = browser.cookie
            let right = try await browser.signIn()
            #expect(right.status == 200 && right.text.contains("<h1>Overview</h1>"))
            #expect(browser.cookie != before)
            #expect(right.policy == PageResponse.policy)
            let cookie = try #require(browser.cookie)
            #expect(!right.text.contains(cookie))
            _ = try await browser.post("/operator/sign-out")
            #expect(try await browser.get("/operator").location == OperatorAuthentication.signIn)
        }
        #expect(try kinds() == [.operatorRefused, .operatorSignIn, .operatorSignOut])
    }

    @Test func `operator pages are not on the public address, and require a cookie`() async throws {
        try await server.operated { caller, browser in
            let open = try await caller.send(.get, "/operator")
            #expect(open.status == 404)
            for path in ["/operator", SessionExplorer.home, "/operator/users/\(SessionID.random())"] {
                #expect(try await browser.get(path).location == OperatorAuthentication.signIn)
            }
            #expect(try await browser.get("/v1/sessions").status == 404)
            #expect(try await browser.get("/operator/nothing").status == 404)
        }
    }

    @Test func `operator sign-in is blocked after wrong guesses`() async throws {
        try await server.operated { _, browser in
            var last = 0
            for _ in 0...SignInRateLimits().attemptsFromNetwork.capacity {
                last = try await browser.signIn("guess guess guess").status
            }
            #expect(last == 429)
            // Even the right one has to wait now.
            #expect(try await browser.signIn().status == 429)
            server.advance(by: .seconds(60))
            #expect(try await browser.signIn().status == 200)
        }
    }

    @Test func `a known operator browser can sign in while another client's guesses are rate limited`() async throws {
        try await server.operated { _, browser in
            _ = try await browser.signIn()
            _ = try await browser.post("/operator/sign-out")
            let stranger = OperatorBrowser(port: browser.port)
            for _ in 0...SignInRateLimits().attemptsFromNetwork.capacity {
                _ = try await stranger.signIn("guess guess guess")
            }
            #expect(try await stranger.signIn().status == 429)
            #expect(try await browser.signIn().status == 200)
            // Of itself it opens nothing, and tries on it have an end, too.
            _ = try await browser.post("/operator/sign-out")
            #expect(try await browser.get("/operator").location == OperatorAuthentication.signIn)
            var last = 0
            for _ in 0...SignInRateLimits().attemptsOnDevice.capacity {
                last = try await browser.signIn("guess guess guess").status
            }
            #expect(last == 429)
        }
        let refused = try kinds().filter { $0 == .operatorRefused }.count
        #expect(
            refused < SignInRateLimits().attemptsFromNetwork.capacity + SignInRateLimits().attemptsOnDevice.capacity,
            "but not who may not try"
        )
    }

    @Test func `an operator session expires after half an hour without use, and after eight hours in total`()
        async throws
    {
        try await server.operated { _, browser in
            _ = try await browser.signIn()
            server.advance(by: .seconds(29 * 60))
            #expect(try await browser.get("/operator").status == 200)
            server.advance(by: .seconds(31 * 60))
            #expect(try await browser.get("/operator").status == 303)
            _ = try await browser.signIn()
            for _ in 0..<23 {
                server.advance(by: .seconds(20 * 60))
                #expect(try await browser.get("/operator").status == 200)
            }
            server.advance(by: .seconds(20 * 60))
            #expect(try await browser.get("/operator").status == 303)
        }
    }

    @Test func `a changed password ends every operator's session`() async throws {
        try await server.operated { _, browser in
            _ = try await browser.signIn()
            let cost = server.configuration.passwords
            try await OperatorPassword(in: server.folder).set("quite another password", cost: cost)
            #expect(try await browser.get("/operator").status == 303)
            #expect(try await browser.signIn().status == 403)
            #expect(try await browser.signIn("quite another password").status == 200)
        }
    }

    @Test func `operator forms from another site or without a valid form token are refused`() async throws {
        try await server.operated { caller, browser in
            let grant = try await caller.signUp()
            _ = try await browser.signIn()
            let path = "\(SessionExplorer.home)/\(grant.sessionID)/end"
            let fields = ["reason": "asked"]
            let foreign = try await browser.post(path, fields, headers: ["Origin": "https://evil.example"])
            #expect(foreign.status == 403)
            let fetched = try await browser.post(path, fields, headers: ["Sec-Fetch-Site": "cross-site"])
            #expect(fetched.status == 403)
            let wordless = try await browser.post(path, fields.merging([PageForm.tokenField: "x"]) { $1 })
            #expect(wordless.status == 403)
            #expect(try await caller.send(.get, NativePath.me, bearer: grant.accessToken).status == 200)
            // The same form is accepted with its token and from its own origin.
            #expect(try await browser.post(path, fields).text.contains("The session was ended."))
            #expect(try await caller.send(.get, NativePath.me, bearer: grant.accessToken).status == 401)
        }
    }

    @Test func `operator sign-in needs a password of valid length in a private file`() async throws {
        let password = OperatorPassword(in: server.folder)
        let cost = server.configuration.passwords
        await #expect(throws: OperatorPassword.Refusal.tooShort) { try await password.set("   short     ", cost: cost) }
        await #expect(throws: OperatorPassword.Refusal.tooLong) {
            try await password.set(String(repeating: "x", count: 257), cost: cost)
        }
        #expect(!password.isSet)
        var configuration = server.configuration
        configuration.operatorPages.listen = ListenAddress(port: 0)
        await #expect(throws: PagesStartupError.noOperatorPassword(password.file.path)) {
            try await server.run(configuration) { _ in }
        }
        let keys = server.folder.appending(path: "keys").path
        #expect(!FileManager.default.fileExists(atPath: keys), "a start that is refused creates no keys")
        try await password.set("long enough for this", cost: cost)
        #expect(try PrivateFiles.isPrivateFile(password.file))
        #expect(try password.hash()?.hasPrefix("$scrypt$ln=10") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: password.file.path)
        #expect(throws: PrivateFiles.UnsafeKeyFile(path: password.file.path)) { try password.hash() }
    }

    @Test func `operator pages are not served on a network without TLS`() throws {
        var configuration = server.configuration
        configuration.operatorPages.listen = ListenAddress("0.0.0.0:9000")
        configuration.operations.allowsInsecureListening = true
        #expect(throws: PagesStartupError.insecureOperatorPages("0.0.0.0")) { try configuration.validate() }
        configuration.operations.isBehindProxy = true
        configuration.signIn.trustedProxies = server.behindProxy.signIn.trustedProxies
        try configuration.validate()
    }
}
