// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Refreshes in the session state machine` {
    var machine = SessionStateMachine<String>(
        schedule: RefreshSchedule(refreshBefore: .seconds(60), minimumInterval: .seconds(30)),
        callerTimeout: .seconds(30),
        backoff: RetryBackoff(first: .seconds(1), limit: .seconds(20))
    )
    /// The token has expired by then.
    let now = Duration.seconds(700)

    init() { machine.loaded(.success(Fixtures.record(Fixtures.stored(3))), at: Fixtures.moment(0)) }

    /// Starts a refresh for waiter "a".
    private mutating func startRefresh() throws -> Int {
        guard case .startRefresh(let id, _) = machine.requestToken(0, "a", for: .valid, now: now) else {
            throw CancellationError()
        }
        return id
    }

    private var other: CurrentSession {
        CurrentSession(
            session: Fixtures.stored(0, id: Fixtures.otherSession),
            token: Fixtures.live(0, at: 700),
            isSaved: true
        )
    }

    @Test mutating func `a late event of an earlier refresh does not change the refresh in progress`() throws {
        let first = try startRefresh()
        _ = machine.signOut()
        let signIn = machine.beginSignIn()
        _ = machine.signedIn(signIn, Fixtures.currentSession(0))
        let second = try startRefresh()
        #expect(machine.failed(first, retryAfter: nil, now: now, chance: 1) == .overtaken)
        #expect(machine.preparationFailed(first, SessionStoreError(.locked, ""), now: now) == nil)
        #expect(machine.receivedUnusableResponse(first, .cancelled, now: now, chance: 1) == nil)
        let isVerified = machine.recordUnverifiedEnd(first, now: now, chance: 1)
        #expect(!isVerified)
        #expect(machine.pauseEnd(of: second) == nil && machine.isCurrent(refresh: second))
    }

    @Test mutating func `the back-off after failures ends with the session`() throws {
        let id = try startRefresh()
        _ = machine.failed(id, retryAfter: .seconds(5), now: now, chance: 1)
        let signIn = machine.beginSignIn()
        _ = machine.signedIn(signIn, other)
        #expect(machine.sessionState == .active)
        #expect(machine.refreshAhead(now: now) != nil)
    }

    @Test mutating func `after an intent could not be stored, only refreshes ahead of expiry wait`() throws {
        let id = try startRefresh()
        let fault = SessionStoreError(.locked, "locked")
        let completion = machine.preparationFailed(id, fault, now: now)
        #expect(completion == WaiterCompletion(waiters: ["a"], answer: .failure(.storeUnavailable(fault))))
        #expect(machine.refreshAhead(now: now + .seconds(19)) == nil)
        var later = machine
        #expect(later.refreshAhead(now: now + .seconds(20)) != nil)
        guard case .startRefresh(_, let start) = machine.requestToken(1, "b", for: .valid, now: now) else {
            Issue.record("the next caller starts a refresh")
            return
        }
        #expect(start == now)
    }

    @Test mutating func `a request of the SDK does not shorten the retry pause, and a request of the app does`() throws
    {
        let id = try startRefresh()
        _ = machine.failed(id, retryAfter: nil, now: now, chance: 1)
        let soon = now + .milliseconds(200)
        let automatic = machine.requestToken(1, "b", for: .valid, now: soon, isUserInitiated: false)
        #expect(automatic == .wait)
        #expect(machine.pauseEnd(of: id) == now + .seconds(1))
        #expect(machine.requestToken(2, "c", for: .valid, now: soon) == .wait)
        #expect(machine.pauseEnd(of: id) == soon)
    }

    @Test
    mutating func `a caller waits for a retry pause that ends with the caller's timeout, and for no longer pause`()
        throws
    {
        let id = try startRefresh()
        _ = machine.failed(id, retryAfter: .seconds(20), now: now, chance: 0)
        let last = try #require(machine.pauseEnd(of: id)) - .seconds(30)
        let fits = machine.requestToken(1, "b", for: .valid, now: last, isUserInitiated: false)
        #expect(fits == .wait)
        let early = last - .nanoseconds(1)
        let action = machine.requestToken(2, "c", for: .valid, now: early, isUserInitiated: false)
        guard case .answer(.failure(.offline)) = action else {
            Issue.record("the caller waits: \(action)")
            return
        }
    }

    @Test mutating func `tokens of a late response serve the callers, and the refresh in progress continues`() throws {
        let id = try startRefresh()
        var late = Fixtures.currentSession(4)
        late.token = Fixtures.live(4, at: 700)
        #expect(machine.refreshedLate(late, now: now).waiters == ["a"])
        #expect(machine.isCurrent(refresh: id))
        #expect(machine.currentSession == late)
    }

    @Test(arguments: [(0.0, 2), (1, 4)])
    mutating func `the pause before a session end is verified is two to four times the first retry delay`(
        chance: Double,
        seconds: Int
    ) throws {
        let id = try startRefresh()
        let isVerified = machine.recordUnverifiedEnd(id, now: now, chance: chance)
        #expect(isVerified)
        #expect(machine.pauseEnd(of: id) == now + .seconds(seconds))
    }

    @Test func `a session that cannot be renewed keeps an expired token until the server refuses this token`() {
        var machine = SessionStateMachine<String>(
            schedule: machine.schedule,
            renewal: .none,
            callerTimeout: .seconds(30),
            backoff: machine.backoff
        )
        machine.loaded(.success(Fixtures.record(Fixtures.stored(3))), at: Fixtures.moment(0))
        #expect(machine.refreshAhead(now: .seconds(590)) == nil)
        let held = SessionStateMachine<String>.RequestAction.answer(.success(Fixtures.live(3).token))
        let refused = Fixtures.token("access-3")
        #expect(machine.requestToken(1, "a", for: .valid, now: now) == held)
        #expect(machine.requestToken(2, "a", for: .replacing(Fixtures.token("access-2")), now: now) == held)
        #expect(machine.requestToken(3, "a", for: .replacing(refused, isBaseOrigin: false), now: now) == .keepRefusal)
        #expect(machine.requestToken(4, "a", for: .replacing(refused), now: now) == .end)
    }

    // MARK: Sign-ins

    @Test mutating func `a sign-in ends a sign-out that waits for the store`() {
        _ = machine.signOut()
        machine.pendingSignOut = .init(session: Fixtures.stored(3), reason: .requested, time: Fixtures.moment(0))
        let signIn = machine.beginSignIn()
        _ = machine.signedIn(signIn, other)
        #expect(machine.pendingSignOut == nil)
    }

    @Test mutating func `a sign-in that has succeeded can no longer return a token with a pending logout`() {
        let signIn = machine.beginSignIn()
        #expect(machine.signInMayReviveToken)
        _ = machine.signedIn(signIn, other)
        #expect(!machine.signInMayReviveToken)
    }
}
