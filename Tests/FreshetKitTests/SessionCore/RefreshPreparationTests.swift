// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

/// A refresh compares its session with the stored one before it sends anything.
@Suite struct `Preparation of a refresh` {
    var machine = SessionStateMachine<String>(
        schedule: RefreshSchedule(refreshBefore: .seconds(60), minimumInterval: .seconds(30)),
        callerTimeout: .seconds(30),
        backoff: RetryBackoff()
    )
    let moment = Fixtures.moment(700)

    init() {
        machine.loaded(.success(Fixtures.record(Fixtures.stored(3))), at: Fixtures.moment(0))
        _ = machine.requestToken(1, "a", for: .valid, now: moment.now)
    }

    private mutating func prepare(_ session: StoredSession?) -> SessionStateMachine<String>.Preparation {
        machine.prepare(1, stored: .success(session.map { Fixtures.record($0) }), at: moment)
    }

    @Test mutating func `a refresh without a stored intent writes one first`() {
        let stored = Fixtures.stored(3)
        #expect(prepare(stored) == .writeIntent(Fixtures.record(stored), stored))
    }

    @Test mutating func `a refresh sends the stored intent, regardless of the process that wrote it`() throws {
        let stored = Fixtures.stored(3, intent: "theirs")
        let pair = try #require(RefreshCredentials(stored))
        #expect(pair.intent == "theirs")
        #expect(prepare(stored) == .send(pair))
        #expect(prepare(stored) == .send(pair), "a retry sends the same pair")
    }

    @Test mutating func `newer tokens of another process are adopted without a refresh`() {
        var newer = Fixtures.stored(4)
        newer.askedAt += 650
        guard case .complete(let completion) = prepare(newer) else {
            Issue.record("nothing is to be sent")
            return
        }
        #expect(completion.waiters == ["a"])
        #expect((try? completion.answer.get())?.value == "access-4")
        #expect(machine.currentSession?.session.generation == 4)
        #expect(machine.currentSession?.isSaved == true)
    }

    @Test func `tokens that replace rejected tokens keep the rejection as their cause`() {
        var current = Fixtures.currentSession(3)
        current.token.cause = .rejection
        current.adopt(Fixtures.stored(4), at: Fixtures.moment(0))
        #expect(current.token.cause == .rejection)
    }

    @Test mutating func `newer tokens of another process that have expired are refreshed`() {
        let newer = Fixtures.stored(4)
        #expect(prepare(newer) == .writeIntent(Fixtures.record(newer), newer))
        #expect(machine.currentSession?.session.generation == 4)
    }

    @Test mutating func `tokens that are not saved are never presented`() throws {
        machine.update { $0 = Fixtures.currentSession(4, isSaved: false) }
        let stored = Fixtures.stored(3, intent: "bound")
        let pair = try #require(RefreshCredentials(stored))
        #expect(prepare(stored) == .send(pair))
        #expect(machine.currentSession?.session.generation == 4, "what is newer is kept in memory")
        #expect(machine.currentSession?.isSaved == false)
    }

    @Test mutating func `a store that was set back gets the newer tokens before anything is sent`() {
        #expect(prepare(Fixtures.stored(2)) == .restore)
        #expect(machine.currentSession?.session.generation == 3)
        #expect(machine.currentSession?.isSaved == false)
        // It did not take them.
        let stored = Fixtures.stored(2)
        #expect(prepare(stored) == .writeIntent(Fixtures.record(stored), stored))
    }

    @Test mutating func `a sign-out of another process is adopted before a refresh`() {
        let record = Fixtures.record(Fixtures.stored(3)).ending(.requested, keeping: .refreshToken)
        let action = machine.prepare(1, stored: .success(record), at: moment)
        #expect(action == .complete(WaiterCompletion(waiters: ["a"], answer: .failure(.signedOut(.requested)))))
        #expect(machine.sessionState == .signedOut(.requested))
    }

    @Test mutating func `a deleted session record is treated as a sign-out`() {
        #expect(prepare(nil) == .complete(WaiterCompletion(waiters: ["a"], answer: .failure(.signedOut(.removed)))))
    }

    @Test
    mutating func `another process's sign-in as another user is adopted, and no caller gets the other user's token`() {
        let other = Fixtures.stored(0, id: Fixtures.otherSession)
        #expect(prepare(other) == .complete(WaiterCompletion(waiters: ["a"], answer: .failure(.signedOut(.replaced)))))
        #expect(machine.currentSession?.session == other)
    }

    @Test mutating func `a refresh with an unavailable store sends no request, and signs no user out`() {
        let fault = SessionStoreError(.locked, "locked")
        let action = machine.prepare(1, stored: .failure(fault), at: moment)
        #expect(action == .complete(WaiterCompletion(waiters: ["a"], answer: .failure(.storeUnavailable(fault)))))
        #expect(machine.sessionState == .active)
        #expect(machine.refreshAhead(now: moment.now) == nil, "a refresh that nobody waits for takes its time")
    }

    @Test func `a stored record is classified as deleted, older, same, newer or another session`() {
        let held = Fixtures.currentSession(3)
        #expect(held.comparison(with: nil) == .gone(.removed))
        let ended = Fixtures.record(Fixtures.stored(3)).ending(.logoutAll, keeping: .none)
        #expect(held.comparison(with: ended) == .gone(.logoutAll))
        for (generation, expected) in [
            (2, CurrentSession.Comparison.older(Fixtures.stored(2))), (3, .same(Fixtures.stored(3))),
            (4, .newer(Fixtures.stored(4))),
        ] as [(UInt64, CurrentSession.Comparison)] {
            #expect(held.comparison(with: Fixtures.record(Fixtures.stored(generation))) == expected)
        }
        let other = Fixtures.stored(9, id: Fixtures.otherSession)
        #expect(held.comparison(with: Fixtures.record(other)) == .other(other))
    }
}
