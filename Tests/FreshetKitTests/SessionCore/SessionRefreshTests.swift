// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Refreshes of a session state machine` {
    private typealias Machine = SessionStateMachine<String>

    private var machine = Machine(
        schedule: RefreshSchedule(refreshBefore: .seconds(60), minimumInterval: .seconds(30)),
        callerTimeout: .seconds(30),
        backoff: RetryBackoff(first: .seconds(1), limit: .seconds(20))
    )

    init() {
        machine.loaded(.success(Fixtures.record(Fixtures.stored(3))), at: Fixtures.moment(0))
    }

    /// Requests a token after the expiry of the stored one.
    private mutating func request(_ id: Int = 1, _ waiter: String = "a") -> Machine.RequestAction {
        machine.requestToken(id, waiter, for: .valid, now: .seconds(700))
    }

    /// A session whose token was requested at 700 s.
    private func refreshed(_ generation: UInt64) -> CurrentSession {
        var currentSession = Fixtures.currentSession(generation)
        currentSession.token = Fixtures.live(generation, at: 700)
        return currentSession
    }

    // MARK: The schedule

    @Test(arguments: [(-1.0, 555.0), (0, 555), (0.5, 547.5), (1, 540), (2, 540)])
    func `the earliest refresh is spread over a quarter of the time before expiry`(chance: Double, time: Double) {
        #expect(machine.schedule.refreshTime(of: Fixtures.live(3), chance: chance) == .seconds(time))
    }

    @Test func `the minimum interval between refreshes is at most half of a token's lifetime`() {
        #expect(machine.schedule.minimumInterval(lifetime: .seconds(10)) == .seconds(5))
        #expect(machine.schedule.minimumInterval(lifetime: .seconds(60)) == .seconds(30))
        #expect(machine.schedule.minimumInterval(lifetime: .seconds(600)) == .seconds(30))
    }

    // MARK: Obsolete events

    @Test mutating func `an event of a previous refresh does not affect the refresh in progress`() {
        #expect(request() == .startRefresh(1, at: .seconds(700)))
        _ = machine.refreshed(1, Fixtures.currentSession(4), now: .zero, chance: 1)
        #expect(request(2, "b") == .startRefresh(2, at: .seconds(700)))
        let fault = SessionStoreError(.locked, "locked")
        #expect(machine.preparationFailed(1, fault, now: .seconds(700)) == nil)
        #expect(machine.receivedUnusableResponse(1, .invalidResponse("odd"), now: .seconds(700), chance: 1) == nil)
        #expect(machine.recordUnverifiedEnd(1, now: .seconds(700), chance: 1) == false)
        #expect(machine.failed(1, retryAfter: nil, now: .seconds(700), chance: 1) == .overtaken)
        #expect(machine.isCurrent(refresh: 2))
        #expect(machine.sessionState == .refreshing)
        _ = machine.failed(2, retryAfter: nil, now: .seconds(700), chance: 1)
        #expect(machine.pauseEnd(of: 2) == .seconds(701), "the first failure, and no other was counted")
        #expect(machine.pauseEnd(of: 1) == nil)
    }

    // MARK: Failures

    @Test mutating func `refreshes ahead of expiry back off after an intent could not be stored`() {
        #expect(request() == .startRefresh(1, at: .seconds(700)))
        let fault = SessionStoreError(.locked, "locked")
        let completion = machine.preparationFailed(1, fault, now: .seconds(700))
        #expect(completion == WaiterCompletion(waiters: ["a"], answer: .failure(.storeUnavailable(fault))))
        #expect(machine.refreshAhead(now: .seconds(719.9)) == nil)
        #expect(request(2, "b") == .startRefresh(2, at: .seconds(700)), "a caller does not wait for the back-off")
        _ = machine.preparationFailed(2, fault, now: .seconds(700))
        #expect(machine.refreshAhead(now: .seconds(720)) != nil)
    }

    @Test(arguments: [(-1.0, 2.0), (0, 2), (0.5, 3), (1, 4), (2, 4)])
    mutating func `an unverified session end is verified after two to four times the first retry delay`(
        chance: Double,
        delay: Double
    ) {
        _ = request()
        #expect(machine.recordUnverifiedEnd(1, now: .seconds(700), chance: chance) == true)
        #expect(machine.pauseEnd(of: 1) == .seconds(700 + delay))
        let second = machine.recordUnverifiedEnd(1, now: .seconds(700 + delay), chance: chance)
        #expect(!second)
    }

    @Test mutating func `a return to the app does not bring the retry after an unusable response forward`() {
        _ = request()
        _ = machine.receivedUnusableResponse(1, .invalidResponse("odd"), now: .seconds(700), chance: 1)
        machine.bringForward(now: .seconds(700))
        #expect(machine.refreshAhead(now: .seconds(700)) == nil)
        machine.bringForward(now: .seconds(700), isExplicit: true)
        #expect(machine.refreshAhead(now: .seconds(700)) != nil)
    }

    // MARK: Late responses

    @Test mutating func `a late response with a valid token answers the callers, and the attempt continues`() {
        _ = request()
        let completion = machine.refreshedLate(refreshed(4), now: .seconds(700))
        #expect(completion == WaiterCompletion(waiters: ["a"], answer: .success(refreshed(4).token.token)))
        #expect(machine.isCurrent(refresh: 1))
        #expect(machine.currentSession == refreshed(4))
        #expect(machine.refreshed(1, refreshed(5), now: .seconds(700), chance: 1)?.waiters == [])
    }

    @Test mutating func `a late response with a valid token ends a refresh that pauses`() {
        _ = request()
        _ = machine.failed(1, retryAfter: nil, now: .seconds(700), chance: 1)
        let completion = machine.refreshedLate(refreshed(4), now: .seconds(700))
        #expect(completion == WaiterCompletion(waiters: ["a"], answer: .success(refreshed(4).token.token)))
        #expect(!machine.isCurrent(refresh: 1))
        #expect(machine.sessionState == .active)
    }

    @Test mutating func `a late response with an expired token answers no caller`() {
        _ = request()
        // Its token expired at 600 s.
        let completion = machine.refreshedLate(Fixtures.currentSession(4), now: .seconds(700))
        #expect(completion.waiters.isEmpty)
        #expect(machine.isCurrent(refresh: 1))
        #expect(machine.currentSession == Fixtures.currentSession(4))
        #expect(machine.refreshed(1, refreshed(5), now: .seconds(700), chance: 1)?.waiters == ["a"])
    }
}
