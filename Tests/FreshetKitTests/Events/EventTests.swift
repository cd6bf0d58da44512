// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetTesting
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite(.timeLimit(.minutes(5))) struct `Events of a session` {
    let bench = SessionFixture()
    let store = InMemoryStore()

    /// The kinds of the events up to one that `isLast` takes.
    private func kinds(
        _ events: AsyncStream<SessionEvent>,
        upTo isLast: (SessionEvent.Kind) -> Bool
    ) async -> [SessionEvent.Kind] {
        var kinds: [SessionEvent.Kind] = []
        for await event in events {
            kinds.append(event.kind)
            if isLast(event.kind) { return kinds }
        }
        return kinds
    }

    @Test func `a refresh that is retried after a lost response emits its events in order`() async throws {
        let session = try await bench.expiredSession(store: store)
        bench.backend.fail(.replyLost)
        let events = session.events
        async let token = session.accessToken()
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(250))
        _ = try await token
        let story = await kinds(events) { if case .refreshed = $0 { true } else { false } }
        let report = RefreshReport(
            cause: .expired,
            attempts: 2,
            callers: 1,
            duration: .milliseconds(250),
            remainingLifetime: .seconds(-1)
        )
        var lost = RefreshAttempt(number: 1, outcome: .unreachable, duration: .zero)
        lost.failure = .connectionLost
        #expect(
            story == [
                .stateChanged(.refreshing), .refreshStarted(.expired), .refreshAttempted(lost),
                .stateChanged(.offline), .retrying(after: .milliseconds(250)), .stateChanged(.refreshing),
                .refreshAttempted(.init(number: 2, outcome: .granted, duration: .zero, status: 200)),
                .stateChanged(.active), .refreshed(report),
            ]
        )
    }

    @Test func `an event contains the session ID, the generation, the process ID and the sign-out reason`() async throws
    {
        let session = try await bench.expiredSession(store: store)
        let (id, generation) = (session.status.sessionID, session.status.generation)
        bench.backend.endSessions(reason: "fork")
        let events = session.events
        _ = await failure { try await session.accessToken() }
        for await event in events {
            guard case .stateChanged(.signedOut(let reason)) = event.kind else { continue }
            #expect(reason == .fork)
            #expect((event.sessionID, event.generation) == (id, generation))
            #expect(event.processID == ProcessInfo.processInfo.processIdentifier)
            #expect(event.date == bench.clock.wall)
            break
        }
        #expect(session.statistics.forcedSignOuts == 1)
    }

    @Test func `no event contains a token`() async throws {
        let session = try bench.session(store: store)
        let events = session.events
        try await session.signIn(.test)
        bench.clock.advance(by: .seconds(601))
        _ = try await session.accessToken()
        bench.backend.revokeAccessTokens()
        _ = try await session.data(for: bench.request())
        bench.backend.endSessions(reason: "revoked_by_user")
        bench.clock.advance(by: .seconds(601))
        let ended = await failure { try await session.accessToken() }
        #expect(ended != nil)
        var texts = ""
        for await event in events {
            dump(event, to: &texts)
            texts += String(describing: event)
            if case .stateChanged(.signedOut) = event.kind { break }
        }
        for secret in ["access-", "frt_", "intent"] { #expect(!texts.contains(secret), "\(secret)") }
    }

    @Test func `statistics count early and late refreshes, joined callers, replays and retries`() async throws {
        let session = try await bench.expiredSession(store: store, transport: nil)
        bench.backend.fail(.requestLost)
        bench.backend.fail(.held)
        let events = session.events
        async let first = session.accessToken()
        await bench.clock.waitForSleep(for: .milliseconds(250))
        bench.clock.advance(by: .milliseconds(250))
        // A caller that joins in the pause would end it at once.
        for await _ in bench.backend.heldRequests { break }
        async let second = session.accessToken()
        for await event in events where event.kind == .joined { break }
        bench.backend.release()
        _ = try await (first, second)
        bench.backend.revokeAccessTokens()
        _ = try await session.data(for: bench.request())
        session.enterForeground()
        await bench.clock.waitForSleep(for: .seconds(540))
        bench.clock.advance(by: .seconds(540))
        for await event in events {
            if case .refreshed(let report) = event.kind, report.cause == .ahead { break }
        }
        let statistics = session.statistics
        #expect(statistics.refreshes == 3)
        #expect((statistics.early, statistics.late, statistics.afterRefusal) == (1, 1, 1))
        #expect((statistics.attempts, statistics.retries) == (4, 1))
        #expect((statistics.joinedCallers, statistics.replays) == (1, 1))
        #expect(statistics.slowestRefresh == .milliseconds(250))
        #expect(statistics.timeInState[.active] == .seconds(540))
        #expect(statistics.timeInState[.offline] == .milliseconds(250))
    }

    @Test func `a reload emits events only if another process has stored newer tokens`()
        async throws
    {
        let (app, other) = (try bench.session(store: store), try bench.session(store: store))
        try await app.signIn(.test)
        let events = app.events
        await app.reload()
        try await other.refresh()
        await app.reload()
        // The reload before has emitted nothing.
        try await app.signOut()
        let story = await kinds(events) { if case .stateChanged(.signedOut) = $0 { true } else { false } }
        let report = AccessTokenReport(
            expiresAt: bench.clock.wall.addingTimeInterval(600),
            remainingLifetime: .seconds(600),
            source: .stored,
            refreshIn: .seconds(540)
        )
        #expect(story.prefix(2) == [.adopted, .accessTokenReceived(report)], "\(story)")
        #expect(app.statistics.adoptions == 1)
    }

    @Test func `a slow reader misses the oldest events`() async throws {
        let session = try bench.session(store: store)
        try await session.signIn(.test)
        let events = session.events
        for _ in 0..<200 { try await session.refresh() }
        var read = 0
        for await event in events {
            read += 1
            if case .refreshed = event.kind, event.generation == 200 { break }
        }
        #expect(read <= 256)
    }

    @Test func `a session that another process signed in is reported with its token`() async throws {
        let session = try bench.session(store: store)
        let events = session.events
        #expect(await failure { try await session.accessToken() } == .signedOut(nil))
        try await bench.session(store: store).signIn(.test)
        _ = try await session.accessToken()
        session.enterBackground()
        let story = await kinds(events) { $0 == .phaseChanged(.background) }
        #expect(story.prefix(2) == [.stateChanged(.active), .signedIn(.found)])
        guard story.count == 4, case .accessTokenReceived = story[2] else {
            Issue.record("the token is not reported: \(story)")
            return
        }
    }

    @Test func `tokens that another process refreshed are reported as adopted`() async throws {
        let session = try await bench.expiredSession(store: store)
        _ = try await bench.session(store: store).accessToken()
        let events = session.events
        #expect(try await session.accessToken().value == "access-2")
        session.enterBackground()
        let story = await kinds(events) { $0 == .phaseChanged(.background) }
        let adopted = try #require(story.firstIndex(of: .adopted))
        guard case .accessTokenReceived = story[adopted + 1] else {
            Issue.record("the token is not reported: \(story)")
            return
        }
    }

    @Test func `a refresh fails if the store cannot be read before it`() async throws {
        let unreliable = UnreliableStore(store)
        let session = try await bench.expiredSession(store: unreliable)
        let events = session.events
        unreliable.readFault = SessionStoreError(.locked, "locked")
        let error = SessionError.storeUnavailable(SessionStoreError(.locked, "locked"))
        #expect(await failure { try await session.accessToken() } == error)
        session.enterBackground()
        #expect(await kinds(events) { $0 == .phaseChanged(.background) }.contains(.refreshFailed(error)))
    }

    @Test func `a refresh fails if its intent cannot be stored`() async throws {
        let unreliable = UnreliableStore(store)
        let session = try await bench.expiredSession(store: unreliable)
        let events = session.events
        unreliable.writeFault = SessionStoreError(.locked, "locked")
        let error = SessionError.storeUnavailable(SessionStoreError(.locked, "locked"))
        #expect(await failure { try await session.accessToken() } == error)
        session.enterBackground()
        #expect(await kinds(events) { $0 == .phaseChanged(.background) }.contains(.refreshFailed(error)))
    }

    @Test func `a reload that finds another user's session does not report adopted tokens`() async throws {
        let (app, other) = (try bench.session(store: store), try bench.session(store: store))
        try await app.signIn(.test)
        try await other.signIn(.password(email: "eve@example.com", password: "correct horse"))
        await app.reload()
        #expect(app.status.email == "eve@example.com")
        #expect(app.statistics.adoptions == 0)
    }

    @Test func `the token of a session without a refresh token is reported without a time of its refresh`()
        async throws
    {
        let session = try bench.session(contract: .named("melchat"), store: store)
        let reports = Locked<[AccessTokenReport]>([])
        session.observe { event in
            if case .accessTokenReceived(let report) = event.kind { reports.withLock { $0.append(report) } }
        }
        try await session.signIn(.tokens(TokenGrant(accessToken: "only", expiresIn: .seconds(60))))
        #expect(reports.withLock { $0.map(\.refreshIn) } == [nil])
    }

    @Test func `tokens that cannot be stored are reported`() async throws {
        let unreliable = UnreliableStore(store)
        let transport = ManualTransport()
        let session = try await bench.expiredSession(store: unreliable, transport: transport)
        let events = session.events
        async let token = session.accessToken()
        let refresh = try await transport.next(to: "/v1/refresh")
        unreliable.writeFault = SessionStoreError(.locked, "locked")
        refresh.answer(from: bench.backend)
        _ = try await token
        session.enterBackground()
        #expect(await kinds(events) { $0 == .phaseChanged(.background) }.contains(.unsaved))
    }

    @Test func `the event of a sign-in has the ID of the new session`() async throws {
        let session = try bench.session(store: store)
        let events = session.events
        try await session.signIn(.test)
        for await event in events where event.kind == .stateChanged(.active) {
            #expect(event.sessionID == session.status.sessionID && event.generation == 0)
            break
        }
    }
}

@Suite struct `Statistics of a window` {
    private let minute = Duration.seconds(60)

    private func report(_ cause: RefreshCause) -> SessionEvent.Kind {
        .refreshed(
            RefreshReport(cause: cause, attempts: 1, callers: 0, duration: .seconds(1), remainingLifetime: .zero)
        )
    }

    @Test func `a statistics window counts only its own refreshes and its own part of the time in each state`() {
        var recorder = StatisticsRecorder(.signedOut(nil), at: .zero)
        recorder.record(.stateChanged(.active), at: minute)
        recorder.record(report(.ahead), at: minute * 5)
        recorder.record(report(.expired), at: minute * 30)
        recorder.record(.stateChanged(.offline), at: minute * 31)
        let recent = recorder.statistics(over: minute * 10, at: minute * 35)
        #expect((recent.refreshes, recent.early, recent.late) == (1, 0, 1))
        #expect(recent.timeInState == [.active: minute * 6, .offline: minute * 4])
        let all = recorder.statistics(at: minute * 35)
        #expect((all.refreshes, all.early) == (2, 1))
        #expect(all.timeInState == [.signedOut: minute, .active: minute * 30, .offline: minute * 4])
    }

    @Test func `a statistics window is limited to one hour, and the totals count all refreshes`() {
        var recorder = StatisticsRecorder(.active, at: .zero)
        for index in 0..<10_000 {
            recorder.record(.stateChanged(index.isMultiple(of: 2) ? .refreshing : .active), at: minute * index)
            recorder.record(report(.ahead), at: minute * index)
        }
        let recent = recorder.statistics(over: .seconds(1_000_000), at: minute * 10_000)
        #expect((60...61).contains(recent.refreshes))
        #expect(recorder.statistics(at: minute * 10_000).refreshes == 10_000)
        #expect(recent.timeInState.values.reduce(.zero, +) == .seconds(3600))
    }
}
