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
@testable import FreshetMetrics
@testable import FreshetServer

/// The responses to clients while the wall clock is wrong.
@Suite(.timeLimit(.minutes(5)))
struct `A clock that jumps` {
    private static let day = Duration.seconds(86_400)

    private func server(on engine: DatabaseEngine) throws -> ServerUnderTest {
        let place = try engine.make()
        return ServerUnderTest(database: place.postgres, folder: place.folder)
    }

    private func row(_ id: SessionID, _ caller: TestHTTPClient) async throws -> SessionRow {
        try #require(try await caller.database.read { try SessionTable.find(id, in: $0) })
    }

    @Test(arguments: DatabaseEngine.wanted, [40, -40])
    func `a clock jump ends no session, and the server writes and signs plausible times meanwhile`(
        engine: DatabaseEngine,
        days: Int
    ) async throws {
        let server = try server(on: engine)
        try await server.run { caller in
            let first = try await caller.signUp()
            let honest = server.readClock()
            server.jump(by: Self.day * days)
            let answer = try await caller.refresh(first.refreshToken, .random())
            #expect(answer.status == 200)
            let grant: SessionTokens = try answer.json()
            #expect(abs(grant.serverTime - honest.seconds) < 60)
            let claims = try #require(JWTText(grant.accessToken))
            #expect(abs(claims.issuedAt - honest.seconds) < 60)
            #expect(abs(claims.expiresAt - honest.seconds - 600) < 60)
            #expect(try await caller.send(.get, NativePath.me, bearer: grant.accessToken).status == 200)
            #expect(try await caller.send(.get, NativePath.me, bearer: first.accessToken).status == 200)
            let stored = try await row(first.sessionID, caller)
            #expect(stored.idleExpiry >= honest + Self.day * 30)
            #expect(abs(stored.lastUsedAt.seconds - honest.seconds) < 60)
            // Signed in meanwhile: no shorter lifetime than other sessions.
            let second = try await caller.signIn()
            server.jump(by: Self.day * -days)
            for token in [grant.refreshToken, second.refreshToken] {
                let after = try await caller.refresh(token, .random())
                #expect(after.status == 200)
            }
            // Now the uncertainty is out of the row.
            let healed = try await row(first.sessionID, caller)
            #expect(abs(healed.idleExpiry.seconds - (honest + Self.day * 30).seconds) < 60)
            #expect(caller.log.messages.filter { $0.hasPrefix("the wall clock is not trusted") }.count == 1)
            #expect(caller.parts.metrics.text.contains("freshet_clock_jumps_total 1\n"))
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `during a clock jump an expired session gets 503, and a signed-out session gets 400`(
        engine: DatabaseEngine
    ) async throws {
        let server = try server(on: engine)
        try await server.run { caller in
            let (idle, out, ended) = (
                try await caller.signUp(), try await caller.signIn(), try await caller.signIn()
            )
            _ = try await caller.present(NativePath.logout, out.refreshToken)
            _ = try await caller.send(.delete, "\(NativePath.sessions)/\(ended.sessionID)", bearer: ended.accessToken)
            server.advance(by: Self.day * 31)
            server.jump(by: Self.day * 40)
            for path in [NativePath.refresh, NativePath.confirm, NativePath.report] {
                let answer = try await caller.present(path, idle.refreshToken)
                #expect(answer.error == "503 unavailable", "\(path)")
                #expect(answer.headers[.retryAfter] == "60")
            }
            #expect(try await caller.refresh(out.refreshToken, .random()).error == "400 invalid_grant logout")
            #expect(try await row(idle.sessionID, caller).ending == nil)
            server.jump(by: Self.day * -40)
            #expect(
                try await caller.refresh(idle.refreshToken, .random()).error == "400 invalid_grant idle_timeout"
            )
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a logout remains effective after a clock that was ahead at startup is corrected`(engine: DatabaseEngine)
        async throws
    {
        let server = try server(on: engine)
        let grants = Grants()
        try await server.run { caller in
            await grants.add(try await caller.signUp())
            await grants.add(try await caller.signIn())
        }
        server.jump(by: Self.day * 40)
        try await server.run { caller in
            // By this clock all are over; a sign-in works, and ends the others.
            let (one, two) = (await grants.all[0], await grants.all[1])
            #expect(try await caller.refresh(one.refreshToken, .random()).error == "503 unavailable")
            #expect(try await caller.present(NativePath.logout, one.refreshToken).status == 204)
            let third = try await caller.signIn()
            let answer = try await caller.send(.post, NativePath.logoutAll, bearer: third.accessToken)
            #expect(answer.status < 300, "\(answer.error)")
            server.jump(by: Self.day * -40)
            #expect(caller.parts.clock.reading().isTrusted)
            #expect(try await caller.refresh(one.refreshToken, .random()).error == "400 invalid_grant logout")
            #expect(
                try await caller.refresh(two.refreshToken, .random()).error == "400 invalid_grant logout_all"
            )
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a server with a wrong clock at startup ends no session and trusts the clock after an hour`(
        engine: DatabaseEngine
    ) async throws {
        for days in [40, -40] {
            let server = try server(on: engine)
            let grants = Grants()
            try await server.run { caller in await grants.add(try await caller.signUp()) }
            server.jump(by: Self.day * days)
            try await server.run { caller in
                let grant = await grants.all[0]
                let answer = try await caller.refresh(grant.refreshToken, .random())
                #expect(answer.error == (days > 0 ? "503 unavailable" : "200"))
                #expect(!caller.parts.clock.isTrusted)
                server.advance(by: ClockTrust.settlingPeriod)
                #expect(caller.parts.clock.reading().isTrusted)
                #expect(caller.log.messages.contains { $0.contains("its jump was a correction") })
            }
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `code requests during a clock jump do not block the client after the correction`(engine: DatabaseEngine)
        async throws
    {
        let server = try server(on: engine)
        @Sendable func requestCodes(_ caller: TestHTTPClient, _ times: Int) async throws -> [Int] {
            var answers: [Int] = []
            for _ in 1...times {
                answers.append(
                    try await caller.post(NativePath.loginCode, CodeRequest(email: "ann@example.com")).status
                )
            }
            return answers
        }
        try await server.run { caller in
            server.jump(by: Self.day * 40)
            #expect(try await requestCodes(caller, 4) == [202, 202, 202, 202])
            // The clock is looked at, and nothing was written.
            let written = try await caller.database.read { try $0.number("SELECT count(*) FROM attempt_budgets") }
            #expect(written == 0)
            server.jump(by: Self.day * -40)
            // The budget goes on in memory.
            #expect(try await requestCodes(caller, 2) == [202, 429])
        }
        // One that an earlier version wrote during a jump.
        try await server.run { caller in
            try await caller.database.durably { [future = server.readClock() + Self.day * 40] database in
                _ = try database.execute("UPDATE attempt_budgets SET full_at = ?", [future])
            }
        }
        try await server.run { caller in
            let refused = try await caller.post(NativePath.loginCode, CodeRequest(email: "ann@example.com"))
            let wait = try #require(refused.headers[.retryAfter].flatMap { Int($0) })
            #expect(wait <= 8640)
            server.advance(by: .seconds(8640))
            #expect(try await requestCodes(caller, 1) == [202])
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a sign-in code that expires during a clock jump gets 503 until the clock is trusted again`(
        engine: DatabaseEngine
    ) async throws {
        let server = try server(on: engine)
        try await server.run { caller in
            let (attempt, code) = try await caller.code(for: "ann@example.com")
            server.jump(by: Self.day * 40)
            server.advance(by: .seconds(601))
            let verification = CodeVerification(attempt: attempt, code: code)
            #expect(try await caller.post(NativePath.loginCodeVerify, verification).error == "503 unavailable")
            // Another's code does not sweep it away.
            _ = try await caller.code(for: "ben@example.com")
            #expect(try await caller.post(NativePath.loginCodeVerify, verification).error == "503 unavailable")
            server.jump(by: Self.day * -40)
            #expect(try await caller.post(NativePath.loginCodeVerify, verification).error == "400 invalid_grant")
            let later = try await caller.code(for: "ann@example.com")
            server.jump(by: Self.day * 40)
            let second = CodeVerification(attempt: later.attempt, code: later.code)
            #expect(try await caller.post(NativePath.loginCodeVerify, second).status == 200)
        }
    }

    @Test(arguments: DatabaseEngine.wanted)
    func `a password reset code that expires during a clock jump gets 503 until the clock is trusted again`(
        engine: DatabaseEngine
    ) async throws {
        let server = try server(on: engine)
        try await server.run { caller in
            let grant = try await caller.signUp()
            _ = try await caller.post(NativePath.passwordReset, CodeRequest(email: "ann@example.com"))
            let sent = try #require(caller.sentCode("reset code"))
            let update = PasswordUpdate(newPassword: "better horse", attempt: sent.attempt, code: sent.code)
            server.jump(by: Self.day * 40)
            server.advance(by: .seconds(601))
            #expect(try await caller.post(NativePath.password, update).error == "503 unavailable")
            #expect(try await row(grant.sessionID, caller).ending == nil)
            _ = try await caller.signIn()
            server.jump(by: Self.day * -40)
            #expect(try await caller.post(NativePath.password, update).error == "400 invalid_grant")
        }
    }

    @Test func `an account page returns 503 for a session that expires during a clock jump`() async throws {
        let server = ServerUnderTest()
        try await server.run { caller in
            let browser = try Browser(caller)
            try await browser.signIn("ann@example.com", caller)
            server.jump(by: Self.day * 40)
            #expect(try await browser.open("/account").heading == "Your devices")
            server.advance(by: .seconds(31 * 60))
            #expect(try await browser.open("/account").status == 503)
            server.jump(by: Self.day * -40)
            #expect(try await browser.open("/account").heading == "Sign in")
        }
    }

    @Test func `keys are not retired, and the time is not stored, by a clock that is not trusted`() async throws {
        let server = ServerUnderTest()
        var configuration = server.configuration
        configuration.keys.rotation = .seconds(86_400)
        try await server.run(configuration) { caller in
            let watch = caller.parts.keyReloader
            watch.reload()
            server.advance(by: .seconds(86_400))
            watch.reload()
            server.advance(by: caller.parts.configuration.keys.activationDelay)
            watch.reload()
            server.jump(by: Self.day * 400)
            watch.reload()
            func stored() async throws -> Int64? {
                try await caller.database.read { try ServerStateTable.get(ServerStateTable.trustedTime, in: $0) }
            }
            let before = try await stored()
            try await caller.parts.clock.synchronize(with: caller.database, stores: true)
            #expect(try await stored() == before)
            let names = try FileManager.default.contentsOfDirectory(atPath: server.folder.appending(path: "keys").path)
            #expect(names.contains { $0.hasPrefix("es256-1.") })
        }
    }
}

/// Grants that outlive a run of a server.
private actor Grants {
    private(set) var all: [SessionTokens] = []
    func add(_ grant: SessionTokens) { all.append(grant) }
}

/// The times in an access token.
private struct JWTText {
    var issuedAt: Double
    var expiresAt: Double

    init?(_ token: String) {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
            let claims = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any],
            let issuedAt = claims["iat"] as? Double, let expiresAt = claims["exp"] as? Double
        else { return nil }
        (self.issuedAt, self.expiresAt) = (issuedAt, expiresAt)
    }
}
