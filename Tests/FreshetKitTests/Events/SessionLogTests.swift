// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The lines in a team's log, by app; the article about the five apps shows the same lines.
@Suite(.timeLimit(.minutes(5))) struct `The log of an app's session` {
    private let clock = TestClock()
    private let lines = LogLines()

    private func session(_ backend: AppBackend, _ configure: (inout AuthSession.Configuration) -> Void = { _ in })
        throws
        -> AuthSession
    {
        var configuration = AuthSession.Configuration()
        configure(&configuration)
        let session = try AuthSession(
            contract: .named(backend.app.rawValue),
            baseURL: try Fixtures.base(),
            store: InMemoryStore(),
            configuration: configuration,
            transport: backend,
            clock: clock
        )
        session.log { [lines] level, line in lines.add("\(level): \(line)") }
        return session
    }

    private func get(_ path: String, _ session: AuthSession) async -> Int? {
        guard let url = URL(string: "https://api.example.com\(path)") else { return nil }
        return try? await clock.skipPauses { try await session.data(for: URLRequest(url: url)).1.statusCode }
    }

    /// The lines that the article shows for an app.
    private func article(_ app: AppBackend.App) throws -> [String] {
        let kit = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/Client/FreshetKit"
        )
        let text = try String(contentsOf: kit.appending(path: "FreshetKit.docc/FiveApps.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n### The log of \(app.rawValue)\n").dropFirst().first)
        let block = try #require(section.components(separatedBy: "```text\n").dropFirst().first)
        return try #require(block.components(separatedBy: "\n```").first).components(separatedBy: "\n")
    }

    private func expectArticle(_ app: AppBackend.App) throws {
        let article = try article(app)
        #expect(lines.all == article, "\(lines.all.joined(separator: "\n"))")
    }

    @Test func `the authservice log shows a refresh after a 401, and a session that ends by a status`() async throws {
        let backend = AppBackend(.authservice, clock: clock)
        let session = try session(backend)
        try await session.signIn(.test)
        backend.revokeAccessTokens()
        #expect(await get("/dashboard", session) == 200)
        clock.advance(by: .seconds(3600))
        backend.revokeRefreshTokens()
        #expect(await get("/dashboard", session) == nil)
        try expectArticle(.authservice)
    }

    @Test func `the bitbasel log shows a successful refresh, and a failed refresh with its error`() async throws {
        let backend = AppBackend(.bitbasel, clock: clock)
        let session = try session(backend) { $0.refreshPolicy.callerTimeout = .seconds(1) }
        try await session.signIn(.appleIdentityToken("any"))
        clock.advance(by: .seconds(1800))
        #expect(await get("/posts/feed", session) == 200)
        clock.advance(by: .seconds(1800))
        backend.fail(.requestLost, times: nil)
        #expect(await get("/posts/feed", session) == nil)
        try expectArticle(.bitbasel)
    }

    @Test func `the melchat log shows the sign-in, the replay after a 401, and the sign-out`() async throws {
        let backend = AppBackend(.melchat, clock: clock)
        let session = try session(backend)
        let attempt = try await session.requestEmailCode(email: "ann@example.com")
        try await session.signIn(.emailCode(attempt, code: AppBackend.emailCode))
        backend.revokeAccessTokens()
        #expect(await get("/api/me", session) == 200)
        try await session.signOut()
        try expectArticle(.melchat)
    }

    @Test func `the creatist log shows the time of the next refresh, and each automatic refresh`() async throws {
        let backend = AppBackend(.creatist, clock: clock)
        let session = try session(backend)
        try await session.signIn(.test)
        session.enterForeground()
        await clock.run(for: .seconds(1800))
        let events = session.events
        session.enterBackground()
        for await event in events where event.kind == .phaseChanged(.background) { break }
        #expect(session.statistics.refreshes > 0)
        try expectArticle(.creatist)
    }

    @Test func `the outbox log shows a decoded expiry and an assumed expiry`() async throws {
        let backend = AppBackend(.outbox, clock: clock)
        let session = try session(backend)
        try await session.signIn(.test)
        backend.settings.grantsReadableTokens = false
        clock.advance(by: .seconds(900))
        #expect(await get("/api/v1/other", session) == 404)
        try expectArticle(.outbox)
    }

    @Test func `every kind of event has a unique description of one line, regardless of the server's text`() {
        let hostile = "x\ny\u{2028}z\r\u{1B}[31m"
        let errors: [SessionError] = [
            .signedOut(nil), .signedOut(.revoked), .offline(retryAfter: nil), .offline(retryAfter: .seconds(3)),
            .storeUnavailable(SessionStoreError(.locked, hostile)), .refused(code: hostile, message: hostile),
            .stepUpRequired, .misconfigured(hostile), .invalidResponse(hostile), .cancelled,
        ]
        let outcomes: [RefreshAttempt.Outcome] = [
            .granted, .superseded, .ended(.revoked), .throttled, .unreachable, .stepUp, .misconfigured,
            .invalidResponse,
        ]
        let report = RefreshReport(
            cause: .ahead,
            attempts: 2,
            callers: 3,
            duration: .seconds(1),
            remainingLifetime: .zero
        )
        var kinds: [SessionEvent.Kind] = [
            .refreshed(report), .adopted, .joined, .userIdentified, .replayed, .replayAnswered(status: 200), .unsaved,
            .saved,
            .retrying(after: .milliseconds(1500)), .logoutDelivered(true), .logoutDelivered(false),
            .networkChanged(isUp: true),
            .networkChanged(isUp: false),
        ]
        kinds += [.signIn, .imported, .found].map { .signedIn($0) }
        kinds += SessionEvent.LegacyTokenPart.allCases.map { .importIncomplete($0) }
        kinds += errors.map { .refreshFailed($0) }
        kinds += outcomes.map {
            .refreshAttempted(RefreshAttempt(number: 1, outcome: $0, duration: .zero, status: 401))
        }
        kinds += RefreshCause.allCases.map { .refreshStarted($0) }
        kinds += SignOutReason.allCases.map { .stateChanged(.signedOut($0)) }
        kinds += [.signedOut(nil), .unknown, .active, .refreshing, .offline, .ending].map { .stateChanged($0) }
        kinds += [.foreground, .background, .unattended].map { .phaseChanged($0) }
        kinds += [true, false].map { .backgroundRefreshScheduled($0) }
        for source in AccessTokenReport.Source.allCases {
            for next in [Duration.seconds(5), .zero, nil] {
                let token = AccessTokenReport(
                    expiresAt: Date(),
                    remainingLifetime: .seconds(9),
                    source: source,
                    refreshIn: next
                )
                kinds.append(.accessTokenReceived(token))
            }
        }
        var seen: Set<String> = []
        for kind in kinds {
            let line = kind.description
            #expect(line.hasSuffix(".") && line.first?.isUppercase == true, "\(line)")
            #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{2028}" })
            #expect(seen.insert(line).inserted, "\(line) says nothing of its own")
        }
        let event = SessionEvent(date: Date(), processID: 1, sessionID: nil, generation: nil, kind: .saved)
        let account = AccountEvent(account: "ann\nbob", event: event)
        #expect("\(account)" == "ann bob: The changes that could not be stored before were stored.")
        #expect(seen.contains { $0.contains("answered with 401, so the session has ended (revoked)") })
    }

    @Test func `the log names how long the pause before the next attempt of a refresh is`() async throws {
        let transport = ManualTransport()
        let session = try await expiredSession("outbox", transport, loggingFrom: .notice)
        let events = session.events
        async let token = try? session.accessToken()
        try await transport.next().answer(503, headers: ["Retry-After": "4"])
        var pause = Duration.zero
        for await event in events {
            guard case .retrying(let delay) = event.kind else { continue }
            pause = delay
            break
        }
        #expect(pause >= .seconds(4))
        #expect(session.statistics.attempts == 1)
        #expect(lines.all.last == "The next refresh attempt follows in \(pause.formattedSeconds) s.")
        clock.advance(by: pause)
        try await transport.next().answer(200, json: #"{"data":{"accessToken":"b","refreshToken":"r2"}}"#)
        #expect(await token?.value == "b")
    }

    /// Returns a session that logs to `lines` and has an access token that has expired.
    private func expiredSession(
        _ contract: String,
        _ transport: ManualTransport,
        loggingFrom level: SessionLogLevel = .info
    ) async throws -> AuthSession {
        let session = try AuthSession(
            contract: .named(contract),
            baseURL: try Fixtures.base(),
            store: InMemoryStore(),
            transport: transport,
            clock: clock
        )
        try await session.signIn(.tokens(TokenGrant(accessToken: "a", refreshToken: "r", expiresIn: .seconds(60))))
        session.log(from: level) { [lines] _, line in lines.add(line) }
        clock.advance(by: .seconds(61))
        return session
    }

    @Test func `a response with a reason is logged without a second attempt`() async throws {
        let transport = ManualTransport()
        let session = try await expiredSession("bitbasel", transport)
        async let token = try? session.accessToken()
        try await transport.next().answer(401, json: #"{"detail":"Invalid or expired refresh token"}"#)
        #expect(await token == nil)
        #expect(lines.all.contains("Attempt 1 to refresh: answered with 401, so the session has ended (expired)."))
    }

    @Test func `the log reports a requested pause only if the response has a Retry-After header`() async throws {
        let transport = ManualTransport()
        let session = try await expiredSession("bitbasel", transport)
        let events = session.events
        async let token = try? session.accessToken()
        for headers in [[:], ["Retry-After": "4"]] {
            try await transport.next().answer(429, headers: headers)
            for await event in events {
                guard case .retrying(let delay) = event.kind else { continue }
                clock.advance(by: delay)
                break
            }
        }
        try await transport.next().answer(200, json: #"{"access_token":"b","refresh_token":"r2"}"#)
        #expect(await token?.value == "b")
        #expect(
            lines.all.filter { $0.hasPrefix("Attempt") }.prefix(2) == [
                "Attempt 1 to refresh: answered with 429; the client backs off.",
                "Attempt 2 to refresh: answered with 429, the server requested a pause.",
            ]
        )
    }

    @Test func `a cancelled caller is not counted among the callers of a refresh`() async throws {
        let transport = ManualTransport()
        let session = try await expiredSession("bitbasel", transport)
        let events = session.events
        let caller = Task { await failure { try await session.accessToken() } }
        let refresh = try await transport.next()
        caller.cancel()
        #expect(await caller.value == .cancelled)
        refresh.answer(200, json: #"{"access_token":"b","refresh_token":"r2"}"#)
        for await event in events {
            guard case .refreshed(let report) = event.kind else { continue }
            #expect(report.callers == 0)
            #expect(event.description == "Token refreshed after 1 attempt and 0 s.")
            break
        }
    }

    @Test func `an expired access token is logged as expired`() {
        let report = AccessTokenReport(
            expiresAt: Date(timeIntervalSince1970: 1_800_000_000),
            remainingLifetime: .seconds(-5),
            source: .stored,
            refreshIn: .zero
        )
        #expect("\(report)" == "Access token expired at 2027-01-15T08:00:00Z, as stored; a refresh is due.")
    }

    @Test func `an imported token is logged with its stored expiry, or with an unknown expiry`() async throws {
        let expiries = [
            "1799997000": "Access token expired at 2027-01-15T07:10:00Z, as stored; a refresh is due.",
            "soon": "Access token with an unknown expiry; a refresh is due.",
        ]
        for (text, line) in expiries {
            let session = try session(AppBackend(.creatist, clock: clock))
            let items = InMemoryLegacyTokenSource(
                ["accessToken": "old-access", "refreshToken": "old-refresh", "tokenExpirationTime": text]
            )
            #expect(try await session.importSession(from: items))
            #expect(lines.all.last == "info: \(line)")
        }
    }

    @Test func `a log with a minimum level omits events below this level`() async throws {
        let backend = AppBackend(.creatist, clock: clock)
        let session = try session(backend)
        let few = LogLines()
        session.log(from: .error) { _, line in few.add(line) }
        try await session.signIn(.test)
        #expect(few.all.isEmpty)
        backend.endSessions()
        _ = try? await clock.skipPauses { try await session.refresh() }
        #expect(few.all.contains { $0.hasPrefix("Signed out (") && $0.contains("sign in again") })
        #expect(few.all.contains { $0.contains("answered with 401") })
        #expect(few.all.allSatisfy { !$0.contains("Token refresh started") })
    }
}
