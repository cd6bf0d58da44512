// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Session changes of a state machine` {
    private var machine = SessionStateMachine<String>(
        schedule: RefreshSchedule(refreshBefore: .seconds(60), minimumInterval: .seconds(30)),
        callerTimeout: .seconds(30),
        backoff: RetryBackoff(first: .seconds(1), limit: .seconds(20))
    )

    init() {
        machine.loaded(.success(Fixtures.record(Fixtures.stored(3))), at: Fixtures.moment(0))
    }

    /// Lets a refresh ahead of expiry fail.
    private mutating func failRefresh() throws {
        let ahead = machine.refreshAhead(now: .seconds(550))
        let id = try #require(ahead)
        _ = machine.failed(id, retryAfter: .seconds(20), now: .seconds(550), chance: 1)
        #expect(machine.sessionState == .offline)
        #expect(machine.earliestRefreshAhead > .seconds(569))
    }

    // MARK: Sign-in

    @Test mutating func `failures of a session do not delay the refresh of the next session`() throws {
        try failRefresh()
        _ = machine.signOut()
        let signIn = machine.beginSignIn()
        _ = machine.signedIn(signIn, Fixtures.currentSession(0))
        #expect(machine.sessionState == .active)
        #expect(machine.earliestRefreshAhead == .zero)
    }

    @Test mutating func `a sign-in that succeeded is no longer the current one`() {
        let signIn = machine.beginSignIn()
        #expect(machine.isCurrent(signIn))
        _ = machine.signedIn(signIn, Fixtures.currentSession(0))
        #expect(!machine.isCurrent(signIn))
        #expect(!machine.signInMayReviveToken, "its token was received before any later sign-out")
    }

    @Test mutating func `a stored sign-in replaces a sign-out that could not be stored`() {
        _ = machine.signOut()
        machine.pendingSignOut = .init(session: Fixtures.stored(3), reason: .requested, time: Fixtures.moment(0))
        let signIn = machine.beginSignIn()
        _ = machine.signedIn(signIn, Fixtures.currentSession(0))
        #expect(machine.pendingSignOut == nil)
    }

    @Test(arguments: [2, 3, 4] as [UInt64])
    mutating func `a sign-in that returns the saved session replaces it only by a newer generation`(
        generation: UInt64
    ) {
        let before = machine.currentSession
        var returned = Fixtures.currentSession(generation)
        returned.token = Fixtures.live(generation, at: 100)
        let signIn = machine.beginSignIn()
        let completion = machine.signedIn(signIn, returned)
        #expect(completion == WaiterCompletion(waiters: [], answer: .success(returned.token.token)))
        #expect(machine.currentSession == (generation == 4 ? returned : before))
    }

    @Test mutating func `a sign-in that returns the unsaved session replaces it, because it is saved now`() {
        machine.update { $0.isSaved = false }
        let signIn = machine.beginSignIn()
        _ = machine.signedIn(signIn, Fixtures.currentSession(3))
        #expect(machine.currentSession?.isSaved == true)
    }

    // MARK: Reads of the store

    @Test mutating func `an empty store keeps the reason of a sign-out, and a record replaces it`() {
        _ = machine.signOut()
        machine.loaded(.success(nil), at: Fixtures.moment(1))
        #expect(machine.sessionState == .signedOut(.requested))
        let ended = Fixtures.record(Fixtures.stored(3)).ending(.logoutAll, keeping: .none)
        machine.loaded(.success(ended), at: Fixtures.moment(2))
        #expect(machine.sessionState == .signedOut(.logoutAll))
    }

    @Test mutating func `newer stored tokens replace the current ones, and end the offline state`() throws {
        try failRefresh()
        let newer = Fixtures.stored(4)
        #expect(machine.reread(.success(Fixtures.record(newer)), at: Fixtures.moment(550)) == nil)
        #expect(machine.currentSession?.session == newer)
        #expect(machine.currentSession?.isSaved == true)
        #expect(machine.sessionState == .active)
        #expect(machine.earliestRefreshAhead == .zero)
    }

    @Test mutating func `the stored session of another sign-in replaces the current session, and counts as saved`() {
        let other = Fixtures.stored(0, id: Fixtures.otherSession)
        let completion = machine.reread(.success(Fixtures.record(other)), at: Fixtures.moment(1))
        #expect(completion == WaiterCompletion(waiters: [], answer: .failure(.signedOut(.replaced))))
        #expect(machine.currentSession?.session == other)
        #expect(machine.currentSession?.isSaved == true)
    }
}
