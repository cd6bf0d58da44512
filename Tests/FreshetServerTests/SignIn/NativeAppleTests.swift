// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import IdentityFixtures
import NIOConcurrencyHelpers
import ServerFixtures
import Testing

@testable import FreshetDatabase
@testable import FreshetIdentity
@testable import FreshetServer

@Suite(.timeLimit(.minutes(5)))
struct `Sign in with Apple, natively` {
    let server = ServerUnderTest()
    let apple: AppleUnderTest

    init() async throws { apple = try await AppleUnderTest() }

    private func configuration() throws -> ServerConfiguration {
        var configuration = server.configuration
        try FileManager.default.createDirectory(
            at: server.folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let file = server.folder.appending(path: "apple.json")
        try apple.publish(to: file)
        configuration.appleKeys = file
        configuration.appleAudiences = [AppleUnderTest.app]
        return configuration
    }

    private func nonce(_ caller: TestHTTPClient) async throws -> String {
        let answer = try await caller.send(.post, NativePath.loginAppleNonce)
        #expect(answer.status == 201)
        return try answer.json(AppleNonce.self).nonce
    }

    /// The credentials of the app after Apple's sheet was closed.
    private func credentials(
        _ caller: TestHTTPClient,
        kid: String = "rsa",
        intent: Intent? = nil,
        _ change: (inout AppleUnderTest.Claims) -> Void = { _ in }
    ) async throws -> AppleCredentials {
        let nonce = try await nonce(caller)
        var claims = AppleUnderTest.Claims(now: server.readClock())
        claims.nonce = AppleUnderTest.digest(nonce)
        change(&claims)
        let token = try await apple.token(claims, kid: kid)
        return AppleCredentials(
            identityToken: token,
            nonce: nonce,
            device: Device(platform: "iOS"),
            intent: intent?.text
        )
    }

    private func signIn(_ caller: TestHTTPClient, _ credentials: AppleCredentials) async throws -> TestHTTPClient.Answer
    {
        try await caller.post(NativePath.loginApple, credentials)
    }

    private func link(
        _ caller: TestHTTPClient,
        _ credentials: AppleCredentials,
        _ grant: SessionTokens,
        password: String? = nil
    )
        async throws -> String
    {
        let request = LinkRequest(
            identityToken: credentials.identityToken,
            nonce: credentials.nonce,
            currentPassword: password
        )
        return try await caller.post(NativePath.linkApple, request, bearer: grant.accessToken).error
    }

    @Test(arguments: ["ec", "rsa"])
    func `a repeated Sign in with Apple opens the same account, and its sessions can be refreshed`(kid: String)
        async throws
    {
        try await server.run(try configuration()) { caller async throws in
            let first: SessionTokens = try await signIn(caller, credentials(caller, kid: kid)).json()
            let again: SessionTokens = try await signIn(caller, credentials(caller, kid: kid)).json()
            #expect(first.user == again.user)
            #expect(try await caller.refresh(first.refreshToken, .random()).status == 200)
            #expect(try await caller.sessions(again).map(\.signedInBy) == ["apple", "apple"])
        }
    }

    @Test func `Sign in with Apple accepts only a hashed nonce of the server, once, before it expires`() async throws {
        try await server.run(try configuration()) { caller async throws in
            let good = try await credentials(caller)
            // The token alone does not contain the nonce, and the nonce of another request does not match.
            var bare = good
            bare.nonce = AppleUnderTest.digest(good.nonce)
            #expect(try await signIn(caller, bare).error == "400 invalid_grant")
            bare.nonce = try await nonce(caller)
            #expect(try await signIn(caller, bare).error == "400 invalid_grant")
            #expect(try await signIn(caller, good).status == 200)

            // The same nonce in another token of Apple's.
            var claims = AppleUnderTest.Claims()
            claims.nonce = AppleUnderTest.digest(good.nonce)
            var second = good
            second.identityToken = try await apple.token(claims)
            #expect(try await signIn(caller, second).error == "400 invalid_grant")

            // As it is, told to Apple: the token would show it.
            let shown = try await nonce(caller)
            claims.nonce = shown
            let open = AppleCredentials(identityToken: try await apple.token(claims), nonce: shown)
            #expect(try await signIn(caller, open).error == "400 invalid_grant")
            // One that the client made.
            claims.nonce = AppleUnderTest.digest("mine")
            let own = AppleCredentials(identityToken: try await apple.token(claims), nonce: "mine")
            #expect(try await signIn(caller, own).error == "400 invalid_grant")

            let late = try await credentials(caller) { $0.exp += 3600 }
            server.advance(by: AppleNonces.lifetime)
            #expect(try await signIn(caller, late).error == "400 invalid_grant")
        }
    }

    @Test func `a used identity token is refused, also after a restart, except for a retry with the same intent`()
        async throws
    {
        let kept = NIOLockedValueBox<AppleCredentials?>(nil)
        let intent = Intent.random()
        try await server.run(try configuration()) { caller async throws in
            let shown = try await credentials(caller, intent: intent)
            kept.withLockedValue { $0 = shown }
            let first: SessionTokens = try await signIn(caller, shown).json()
            let again: SessionTokens = try await signIn(caller, shown).json()
            #expect(again.refreshToken == first.refreshToken)
            var other = shown
            other.intent = Intent.random().text
            #expect(try await signIn(caller, other).error == "400 invalid_grant")
            other.intent = nil
            #expect(try await signIn(caller, other).error == "400 invalid_grant")
            _ = try await caller.refresh(first.refreshToken, .random())
            #expect(try await signIn(caller, shown).error == "400 invalid_grant")
        }
        let shown = try #require(kept.withLockedValue { $0 })
        try await server.run(try configuration()) { caller async throws in
            #expect(try await signIn(caller, shown).error == "400 invalid_grant")
        }
    }

    @Test func `Sign in with Apple is linked to a password account only by its owner, never by an equal address`()
        async throws
    {
        try await server.run(try configuration()) { caller async throws in
            let ann = try await caller.signUp()
            let byAddress: SessionTokens = try await signIn(
                caller,
                credentials(caller) { claims in
                    claims.sub = "other"
                    claims.email = "ann@example.com"
                    claims.emailVerified = .bool(true)
                }
            ).json()
            #expect(byAddress.user.id != ann.user.id)

            let fits = try await credentials(caller)
            #expect(try await link(caller, fits, ann) == "204")
            #expect(caller.log.messages.contains("sign-in added"))
            #expect(try await link(caller, fits, ann) == "400 invalid_grant")
            let joined: SessionTokens = try await signIn(caller, credentials(caller)).json()
            #expect(joined.user.id == ann.user.id)
            #expect(try await link(caller, credentials(caller) { $0.sub = "second" }, ann) == "409 conflict")
            // The person of another account stays there.
            #expect(try await link(caller, credentials(caller) { $0.sub = "other" }, ann) == "409 conflict")

            let bob = try await caller.signUp("bob@example.com")
            server.advance(by: .seconds(601 - 60))
            let old: SessionTokens = try await caller.refresh(bob.refreshToken, .random()).json()
            server.advance(by: .seconds(120))
            let third = try await credentials(caller) { $0.sub = "third" }
            #expect(try await link(caller, third, old) == "403 step_up_required")
            #expect(try await link(caller, third, old, password: "wrong horse") == "400 invalid_grant")
            #expect(try await link(caller, third, old, password: "correct horse") == "204")
        }
    }

    @Test func `an address and a password can be added to an account that Sign in with Apple opened`() async throws {
        try await server.run(try configuration()) { caller async throws in
            let own: SessionTokens = try await signIn(caller, credentials(caller)).json()
            let password = PasswordUpdate(newPassword: "better horse")
            #expect(
                try await caller.post(NativePath.password, password, bearer: own.accessToken).error == "409 conflict"
            )
            func begin(_ email: String, _ grant: SessionTokens) async throws -> TestHTTPClient.Answer {
                try await caller.post(NativePath.linkEmail, LinkRequest(email: email), bearer: grant.accessToken)
            }
            func verify(_ sent: (attempt: String, code: String), _ grant: SessionTokens) async throws -> String {
                let request = LinkRequest(attempt: sent.attempt, code: sent.code)
                return try await caller.post(NativePath.linkEmailVerify, request, bearer: grant.accessToken).error
            }
            // An address that has an account is not taken over, though the code is right.
            _ = try await caller.signUp("bob@example.com")
            #expect(try await begin("bob@example.com", own).status == 202)
            #expect(try await verify(try #require(caller.sentCode("link code")), own) == "409 conflict")

            #expect(try await begin("ann@example.com", own).status == 202)
            let sent = try #require(caller.sentCode("link code"))
            // Neither another account nor a sign-in can use it.
            let other: SessionTokens = try await signIn(caller, credentials(caller) { $0.sub = "other" }).json()
            #expect(try await verify(sent, other) == "400 invalid_grant")
            let login = CodeVerification(attempt: sent.attempt, code: sent.code)
            #expect(try await caller.post(NativePath.loginCodeVerify, login).error == "400 invalid_grant")
            #expect(try await verify(sent, own) == "204")
            #expect(try await verify(sent, own) == "400 invalid_grant")
            #expect(try await begin("carl@example.com", own).error == "409 conflict")
            #expect(try await caller.post(NativePath.password, password, bearer: own.accessToken).status == 204)
            let byPassword: SessionTokens = try await caller.signIn(password: "better horse").json()
            #expect(byPassword.user.id == own.user.id)
        }
    }

    @Test func `an owner gets mail at Apple's relay address about an added address, a new password and an unlink`()
        async throws
    {
        try await server.run(try configuration()) { caller async throws in
            let relay = "x1@privaterelay.appleid.com"
            let own: SessionTokens = try await signIn(
                caller,
                credentials(caller) { claims in
                    claims.email = relay
                    claims.emailVerified = .text("true")
                }
            ).json()
            func recipients(_ message: String) -> Set<String?> {
                Set(caller.log.lines.filter { $0["message"] == message && $0["email"] != nil }.map { $0["email"] })
            }
            let request = LinkRequest(email: "thief@example.com")
            #expect(try await caller.post(NativePath.linkEmail, request, bearer: own.accessToken).status == 202)
            let sent = try #require(caller.sentCode("link code"))
            let proof = LinkRequest(attempt: sent.attempt, code: sent.code)
            #expect(try await caller.post(NativePath.linkEmailVerify, proof, bearer: own.accessToken).status == 204)
            #expect(recipients("sign-in added") == [relay, "thief@example.com"])
            let password = PasswordUpdate(newPassword: "better horse")
            #expect(try await caller.post(NativePath.password, password, bearer: own.accessToken).status == 204)
            #expect(recipients("password changed") == [relay, "thief@example.com"])
            #expect(try await caller.send(.delete, NativePath.linkApple, bearer: own.accessToken).status == 204)
            #expect(recipients("sign-in removed") == [relay, "thief@example.com"])
        }
    }

    @Test func `an attacker's Apple link is removed when the owner of the account's address signs in by code`()
        async throws
    {
        try await server.run(try configuration()) { caller async throws in
            let thief = try await caller.signUp()
            #expect(try await link(caller, credentials(caller), thief) == "204")
            let sent = try await caller.code(for: "ann@example.com")
            let verification = CodeVerification(attempt: sent.attempt, code: sent.code)
            let owner: SessionTokens = try await caller.post(NativePath.loginCodeVerify, verification).json()
            #expect(owner.user.id == thief.user.id)
            let again: SessionTokens = try await signIn(caller, credentials(caller)).json()
            #expect(again.user.id != owner.user.id)
        }
    }

    @Test func `Sign in with Apple is unlinked only after a fresh sign-in, and never as the last sign-in method`()
        async throws
    {
        try await server.run(try configuration()) { caller async throws in
            func unlink(_ grant: SessionTokens) async throws -> String {
                try await caller.send(.delete, NativePath.linkApple, bearer: grant.accessToken).error
            }
            let only: SessionTokens = try await signIn(caller, credentials(caller) { $0.sub = "only" }).json()
            #expect(try await unlink(only) == "409 conflict")
            let same: SessionTokens = try await signIn(caller, credentials(caller) { $0.sub = "only" }).json()
            #expect(same.user == only.user)

            let ann = try await caller.signUp()
            #expect(try await unlink(ann) == "404 not_found")
            #expect(try await link(caller, credentials(caller), ann) == "204")
            server.advance(by: StepUp.freshness + .seconds(1))
            let old: SessionTokens = try await caller.refresh(ann.refreshToken, .random()).json()
            #expect(try await unlink(old) == "403 step_up_required")
            let byApple: SessionTokens = try await signIn(caller, credentials(caller)).json()
            #expect(byApple.user.id == ann.user.id)
            #expect(try await unlink(byApple) == "204")
            #expect(caller.log.lines.contains { $0["message"] == "sign-in removed" && $0["email"] != nil })
            #expect(try await unlink(byApple) == "404 not_found")
            let stranger: SessionTokens = try await signIn(caller, credentials(caller)).json()
            #expect(stranger.user.id != ann.user.id)
            #expect(try await caller.signIn(password: "correct horse").status == 200)
        }
    }

    // MARK: - Notices

    private func notify(_ caller: TestHTTPClient, _ notice: AppleUnderTest.Notice, kid: String = "rsa") async throws
        -> TestHTTPClient.Answer
    {
        try await caller.post(
            NativePath.appleNotifications,
            AppleNotificationBody(payload: apple.notice(notice, kid: kid))
        )
    }

    private func notice(_ kind: String, _ subject: String = AppleUnderTest.Claims().sub) -> AppleUnderTest.Notice {
        AppleUnderTest.Notice(kind, of: subject, at: server.readClock())
    }

    @Test(arguments: ["consent-revoked", "account-delete"])
    func `a notice of revoked consent or a deleted Apple account ends the sessions that Apple opened`(kind: String)
        async throws
    {
        try await server.run(try configuration()) { caller async throws in
            let gone: SessionTokens = try await signIn(caller, credentials(caller)).json()
            let other: SessionTokens = try await signIn(caller, credentials(caller) { $0.sub = "other" }).json()
            // A password account that Apple opens, too, goes on by its password.
            let ann = try await caller.signUp()
            #expect(try await link(caller, credentials(caller) { $0.sub = "ann" }, ann) == "204")
            let byApple: SessionTokens = try await signIn(caller, credentials(caller) { $0.sub = "ann" }).json()
            server.advance(by: .seconds(2))
            #expect(try await notify(caller, notice(kind)).status == 200)
            #expect(try await notify(caller, notice(kind, "ann"), kid: "ec").status == 200)
            for grant in [gone, byApple] {
                let ended = try await caller.refresh(grant.refreshToken, .random())
                #expect(ended.error == "400 invalid_grant provider_revoked")
                #expect(try await caller.send(.get, NativePath.me, bearer: grant.accessToken).status == 401)
            }
            for grant in [ann, other] { #expect(try await caller.refresh(grant.refreshToken, .random()).status == 200) }
            // Apple's account is forgotten: the person begins anew.
            server.advance(by: .seconds(2))
            let anew: SessionTokens = try await signIn(caller, credentials(caller)).json()
            #expect(anew.user.id != gone.user.id)
        }
    }

    @Test func `a notice from Apple takes effect once, although its signature has a second valid form`() async throws {
        try await server.run(try configuration()) { caller async throws in
            _ = try await signIn(caller, credentials(caller))
            let payload = try await apple.notice(notice("email-disabled"), kid: "ec")
            for text in [payload, payload, try MalleableSignature.twin(of: payload)] {
                let answer = try await caller.post(NativePath.appleNotifications, AppleNotificationBody(payload: text))
                #expect(answer.status == 200, "nothing is refused for the form of its signature")
            }
            let acted = caller.log.lines.filter { $0["message"] == "Apple's notice" }.compactMap { $0["acted"] }
            #expect(acted == ["true", "false", "false"])
        }
    }

    @Test func `an identity token is accepted once, although its signature has a second valid form`() async throws {
        try await server.run(try configuration()) { caller async throws in
            let good = try await credentials(caller, kid: "ec")
            var twin = good
            twin.identityToken = try MalleableSignature.twin(of: good.identityToken)
            #expect(twin.identityToken != good.identityToken)
            #expect(try await signIn(caller, twin).status == 200)
            #expect(try await signIn(caller, good).error == "400 invalid_grant")
            let spent = try await caller.database.read { try $0.number("SELECT count(*) FROM spent_proofs", []) }
            // A token and a nonce.
            #expect(spent == 2)
        }
    }

    @Test func `a notice that is forged, for another app, old, or from before the sign-in ends no session`()
        async throws
    {
        try await server.run(try configuration()) { caller async throws in
            let before = notice("consent-revoked")
            server.advance(by: .seconds(5))
            let grant: SessionTokens = try await signIn(caller, credentials(caller)).json()
            server.advance(by: .seconds(5))
            #expect(try await notify(caller, notice("consent-revoked"), kid: "stranger").error == "400 invalid_request")
            var foreign = notice("consent-revoked")
            foreign.aud = "com.example.evil"
            #expect(try await notify(caller, foreign).error == "400 invalid_request")
            var wrong = notice("consent-revoked")
            wrong.iss = "https://example.com"
            #expect(try await notify(caller, wrong).error == "400 invalid_request")
            var old = notice("consent-revoked")
            old.iat -= 8 * 86_400
            #expect(try await notify(caller, old).error == "400 invalid_request")
            // An identity token is no notice.
            let token = AppleNotificationBody(payload: try await apple.token())
            #expect(try await caller.post(NativePath.appleNotifications, token).error == "400 invalid_request")
            // Good, and about something else.
            #expect(try await notify(caller, before).status == 200)
            #expect(try await notify(caller, notice("consent-revoked", "nobody")).status == 200)
            #expect(try await notify(caller, notice("something-new")).status == 200)
            #expect(try await caller.refresh(grant.refreshToken, .random()).status == 200)
        }
    }

    @Test func `a late notice about an earlier consent does not end the session of a newer sign-in`() async throws {
        try await server.run(try configuration()) { caller async throws in
            func consent() async throws -> SessionTokens {
                let seconds = server.readClock().seconds
                return try await signIn(caller, credentials(caller) { ($0.iat, $0.exp) = (seconds, seconds + 600) })
                    .json()
            }
            let first = try await consent()
            server.advance(by: .seconds(5))
            let withdrawal = notice("consent-revoked")
            server.advance(by: .seconds(5))
            let second = try await consent()
            #expect(second.user.id == first.user.id)
            server.advance(by: .seconds(5))
            #expect(try await notify(caller, withdrawal).status == 200)
            #expect(try await caller.refresh(second.refreshToken, .random()).status == 200)
            #expect(try await consent().user.id == first.user.id)
        }
    }

    @Test func `new devices are reported to Apple's relay address only while the relay forwards mail`() async throws {
        try await server.run(try configuration()) { caller async throws in
            func signIn(_ model: String) async throws {
                var shown = try await credentials(caller) { claims in
                    claims.email = "x1@privaterelay.appleid.com"
                    claims.emailVerified = .text("true")
                }
                shown.device = Device(model: model)
                #expect(try await self.signIn(caller, shown).status == 200)
            }
            func mails() -> Int { caller.log.lines.count { $0["email"] == "x1@privaterelay.appleid.com" } }
            try await signIn("a")
            try await signIn("b")
            #expect(mails() == 1)
            server.advance(by: .seconds(2))
            #expect(try await notify(caller, notice("email-disabled")).status == 200)
            try await signIn("c")
            #expect(mails() == 1)
            #expect(try await notify(caller, notice("email-enabled")).status == 200)
            try await signIn("d")
            #expect(mails() == 2)
        }
    }
}
