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

/// "Why was I signed out?", asked by an operator who knows nothing but an address.
@Suite(.timeLimit(.minutes(5)))
struct `The session explorer` {
    let server = ServerUnderTest()

    /// The first sentence of the session's page.
    private func answer(_ page: OperatorBrowser.Answer) throws -> String {
        String(try #require(page.text.firstMatch(of: /<p class="answer">([^<]*)</)).1)
    }

    @Test func `the session explorer reports a token theft on the user's page and on the session's page`() async throws
    {
        try await server.operated { caller, browser in
            let grant = try await caller.signUp(device: Device(name: "Ann's phone", platform: "iOS 18", app: "Notes"))
            let next: SessionTokens = try await caller.refresh(grant.refreshToken, .random()).json()
            _ = try await caller.present(NativePath.confirm, next.refreshToken)
            #expect(try await caller.refresh(next.refreshToken, .random()).status == 200)
            #expect(try await caller.refresh(next.refreshToken, .random()).error == "400 invalid_grant fork")
            _ = try await browser.signIn()
            let user = try await browser.find("ANN@example.com ")
            #expect(user.status == 200)
            #expect(user.text.contains("Two holders presented one refresh token"))
            #expect(user.text.contains("Ann&#39;s phone") && user.text.contains(#"<span class="tag bad">theft</span>"#))
            let page = try await browser.get("\(SessionExplorer.home)/\(grant.sessionID)")
            #expect(try answer(page).hasPrefix("Two holders presented one refresh token (generation 1)"))
            #expect(page.text.contains("Ended: two holders of one token"))
            for secret in [grant.refreshToken, grant.accessToken, next.refreshToken] {
                #expect(!page.text.contains(secret) && !user.text.contains(secret))
            }
            #expect(!page.text.contains("End this session"))
        }
    }

    @Test func `the session explorer finds an account whose address is no longer permitted`() async throws {
        try await server.operated { caller, browser in
            let user = User(id: UUID(), email: EmailAddress(stored: "ann\u{3164}@example.com"))
            try await caller.database.durably { [now = server.readClock()] in
                _ = try UserTable.insert(user, at: now, in: $0)
            }
            _ = try await browser.signIn()
            let page = try await browser.find("ann\u{3164}@example.com")
            #expect(page.text.contains("Not signed in on any device."))
        }
    }

    @Test func `the session explorer reports that a session reached its idle timeout`() async throws {
        try await server.operated { caller, browser in
            let grant = try await caller.signUp()
            server.advance(by: .seconds(31 * 86_400))
            _ = try await browser.signIn()
            let page = try await browser.find("\(grant.sessionID)")
            #expect(try answer(page) == "It was unused for 30 days and reached its idle timeout.")
            #expect(try await browser.find("ann@example.com").text.contains("Not signed in on any device."))
        }
    }

    @Test func `the session explorer names the device that ended a session`() async throws {
        try await server.operated { caller, browser in
            let grant = try await caller.signUp(device: Device(name: "Old phone"))
            let other: SessionTokens = try await caller.post(
                NativePath.loginPassword,
                PasswordCredentials(
                    email: "ann@example.com",
                    password: "correct horse",
                    device: Device(name: "New <phone>")
                )
            ).json()
            let path = "\(NativePath.sessions)/\(grant.sessionID)"
            #expect(try await caller.send(.delete, path, bearer: other.accessToken).status == 204)
            _ = try await browser.signIn()
            let page = try await browser.get("\(SessionExplorer.home)/\(grant.sessionID)")
            #expect(try answer(page) == "The user ended this session from “New &lt;phone&gt;”.")
            #expect(page.text.contains("It was ended from") && page.text.contains(">New &lt;phone&gt;</a>"))
            #expect(try await browser.get(SessionExplorer.home).text.contains("ended from another device"))
        }
    }

    @Test func `the session explorer reports that a user signed out everywhere`() async throws {
        try await server.operated { caller, browser in
            let grant = try await caller.signUp()
            let other = try await caller.signIn()
            #expect(try await caller.send(.post, NativePath.logoutAll, bearer: other.accessToken).status == 204)
            _ = try await browser.signIn()
            let page = try await browser.get("\(SessionExplorer.home)/\(grant.sessionID)")
            #expect(try answer(page).hasPrefix("The user signed out everywhere"))
        }
    }

    @Test func `an operator ends a session with a reason, which is shown, and its tokens are refused immediately`()
        async throws
    {
        try await server.operated { caller, browser in
            let grant = try await caller.signUp()
            _ = try await browser.signIn()
            let page = "\(SessionExplorer.home)/\(grant.sessionID)"
            #expect(try await browser.get("\(page)/end").text.contains("End this session?"))
            #expect(try await browser.post("\(page)/end").status == 400)
            let done = try await browser.post("\(page)/end", ["reason": "lost"])
            #expect(try answer(done) == "An operator ended this session, because the device was lost or stolen.")
            #expect(try await caller.send(.get, NativePath.me, bearer: grant.accessToken).status == 401)
            let refused = try await caller.refresh(grant.refreshToken, .random())
            #expect(refused.error == "400 invalid_grant revoked_by_operator")
            // Told once, by whoever did it: neither the audit trail nor the figures have it twice.
            await caller.parts.audit.write()
            let events = try await caller.parts.database.read { try AuditTable.events(of: grant.sessionID, in: $0) }
            #expect(events.filter { $0.kind == .ended }.map(\.source) == ["127.0.0.1"])
            let report = try await caller.parts.metricsRecorder.report(.hour)
            #expect(report.totals(.signOuts) == ["revoked_by_operator": 1])
            #expect(try await browser.post("\(page)/end", ["reason": "lost"]).text.contains("ended already"))
        }
    }

    @Test func `an operator disables an account, which ends its sessions, and enables the account again`() async throws
    {
        try await server.operated { caller, browser in
            let grant = try await caller.signUp()
            _ = try await browser.signIn()
            let user = try await browser.find(grant.user.id)
            #expect(user.text.contains("ann@example.com"))
            let path = "\(SessionExplorer.users)/\(grant.user.id)"
            #expect(try await browser.get("\(path)/disable").text.contains("Disable ann@example.com?"))
            #expect(try await browser.post("\(path)/disable").text.contains("1 session ended"))
            #expect(try await caller.send(.get, NativePath.me, bearer: grant.accessToken).status == 401)
            let right = PasswordCredentials(email: "ann@example.com", password: "correct horse")
            #expect(try await caller.post(NativePath.loginPassword, right).error == "400 invalid_grant user_disabled")
            #expect(try await browser.get("\(path)/enable").text.contains("Enable ann@example.com?"))
            #expect(try await browser.post("\(path)/enable").text.contains("The account is enabled."))
            #expect(try await caller.post(NativePath.loginPassword, right).status == 200)
            #expect(try await browser.get("\(path)/end").text.contains("1 device will be signed out"))
            #expect(try await browser.post("\(path)/end", ["reason": "asked"]).text.contains("1 session ended."))
        }
    }

    @Test func `the session explorer returns 404 for an unknown address or id, and escapes HTML`() async throws {
        try await server.operated { _, browser in
            _ = try await browser.signIn()
            for query in ["nobody@example.com", "nonsense", "\(SessionID.random())", "'><script>x</script>"] {
                let page = try await browser.find(query)
                #expect(page.status == 404 && page.text.contains("No account or session has this address or id."))
                #expect(!page.text.contains("<script"))
            }
            #expect(try await browser.get("\(SessionExplorer.home)/\(SessionID.random())").status == 404)
            #expect(try await browser.get("\(SessionExplorer.users)/x").status == 404)
        }
    }
}
