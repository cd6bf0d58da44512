// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Requests to a session state machine` {
    private typealias Machine = SessionStateMachine<String>

    /// A machine with a stored session whose token expires at 600 s.
    private static func makeMachine(
        renewal: Renewal = .confirmed,
        backoff: RetryBackoff = RetryBackoff(first: .seconds(1), limit: .seconds(20))
    ) -> Machine {
        var machine = Machine(
            schedule: RefreshSchedule(refreshBefore: .seconds(60), minimumInterval: .seconds(30)),
            renewal: renewal,
            callerTimeout: .seconds(30),
            backoff: backoff
        )
        machine.loaded(.success(Fixtures.record(Fixtures.stored(3))), at: Fixtures.moment(0))
        return machine
    }

    private var machine = Self.makeMachine()

    @Test(arguments: [(30.0, true), (31, false)])
    mutating func `a caller waits for an attempt at the end of its timeout, and not for a later one`(
        retryAfter: Double,
        waits: Bool
    ) {
        #expect(machine.requestToken(1, "a", for: .valid, now: .seconds(700)) == .startRefresh(1, at: .seconds(700)))
        #expect(machine.cancel(1) == "a")
        _ = machine.failed(1, retryAfter: .seconds(retryAfter), now: .seconds(700), chance: 0)
        let action = machine.requestToken(2, "b", for: .valid, now: .seconds(700))
        let end = Duration.seconds(retryAfter)
        #expect(
            action
                == (waits
                    ? .startRefresh(2, at: .seconds(700) + end) : .answer(.failure(.offline(retryAfter: end))))
        )
    }

    @Test(arguments: [(30.0, true), (31, false)])
    mutating func `a waiting caller is dismissed only if the next retry is after its timeout`(
        retryAfter: Double,
        waits: Bool
    ) {
        _ = machine.requestToken(1, "a", for: .valid, now: .seconds(700))
        let delay = Duration.seconds(retryAfter)
        let retry = machine.failed(1, retryAfter: delay, now: .seconds(700), chance: 0)
        let dismissed = WaiterCompletion(
            waiters: waits ? [] : ["a"],
            answer: .failure(.offline(retryAfter: delay))
        )
        #expect(retry == (waits ? .retry(dismissing: dismissed) : .giveUp(dismissed)))
    }

    @Test func `callers with the same timeout are dismissed in the order of their requests`() {
        var flight = RefreshInFlight<String>(id: 1, cause: .expiry)
        for (id, waiter) in ["a", "b", "c", "d", "e"].enumerated() {
            flight.waiters[id] = .init(waiter: waiter, deadline: .seconds(id < 4 ? 30 : 31))
        }
        #expect(flight.allWaiters == ["a", "b", "c", "d", "e"])
        #expect(flight.dismiss(before: .seconds(30)).isEmpty)
        #expect(flight.dismiss(before: .seconds(31)) == ["a", "b", "c", "d"])
        #expect(flight.dismissAll() == ["e"])
    }

    @Test mutating func `a caller's timeout ends exactly at its deadline`() {
        _ = machine.requestToken(1, "a", for: .valid, now: .seconds(700))
        #expect(machine.expireWaiters(now: .seconds(730) - .nanoseconds(1)).waiters.isEmpty)
        #expect(machine.expireWaiters(now: .seconds(730)).waiters == ["a"])
    }

    @Test(arguments: [(true, 701.0), (false, 702)])
    mutating func `only a request of the app brings a retry forward`(isUserInitiated: Bool, end: Double) {
        _ = machine.requestToken(1, "a", for: .valid, now: .seconds(700))
        _ = machine.failed(1, retryAfter: nil, now: .seconds(700), chance: 1)
        _ = machine.failed(1, retryAfter: nil, now: .seconds(700), chance: 1)
        #expect(machine.pauseEnd(of: 1) == .seconds(702))
        let action = machine.requestToken(
            2,
            "b",
            for: .valid,
            now: .seconds(701),
            isUserInitiated: isUserInitiated
        )
        #expect(action == .wait)
        #expect(machine.pauseEnd(of: 1) == .seconds(end))
    }

    /// The server's response was unusable, so that only an explicit refresh is worth another attempt.
    @Test(arguments: [(TokenRequirement.valid, 701.0), (.refreshed, 700)])
    mutating func `only an explicit refresh brings the retry after an unusable response forward`(
        need: TokenRequirement,
        end: Double
    ) {
        _ = machine.requestToken(1, "a", for: .valid, now: .seconds(700))
        _ = machine.receivedUnusableResponse(1, .invalidResponse("odd"), now: .seconds(700), chance: 1)
        machine.bringForward(now: .seconds(700))
        let paused = machine.requestToken(2, "b", for: .valid, now: .seconds(700), isUserInitiated: false)
        #expect(paused == .startRefresh(2, at: .seconds(701)))
        #expect(machine.requestToken(3, "c", for: need, now: .seconds(700)) == .wait)
        #expect(machine.pauseEnd(of: 2) == .seconds(end))
    }

    /// The refresh ahead of expiry began without a caller, so that its pause is not limited by a timeout.
    @Test(arguments: [(0.5, true), (0.6, false)])
    func `a caller whose timeout ends before the verification of a session end does not wait`(
        chance: Double,
        waits: Bool
    ) throws {
        var machine = Self.makeMachine(backoff: RetryBackoff(first: .seconds(10), limit: .seconds(20)))
        let ahead = machine.refreshAhead(now: .seconds(599))
        let id = try #require(ahead)
        #expect(machine.recordUnverifiedEnd(id, now: .seconds(600), chance: chance) == true)
        let pause = try #require(machine.pauseEnd(of: id)) - .seconds(600)
        let action = machine.requestToken(1, "a", for: .valid, now: .seconds(600))
        #expect(action == (waits ? .wait : .answer(.failure(.offline(retryAfter: pause)))))
        #expect(machine.nextWaiterDeadline == (waits ? .seconds(630) : nil))
    }

    @Test mutating func `a refused token becomes the cause of the refresh in progress`() throws {
        let ahead = machine.refreshAhead(now: .seconds(550))
        let id = try #require(ahead)
        #expect(machine.refreshCause == .expiry)
        #expect(machine.requestToken(1, "a", for: .refreshed, now: .seconds(551)) == .wait)
        #expect(machine.refreshCause == .expiry)
        let refused = TokenRequirement.replacing(Fixtures.token("access-3"))
        #expect(machine.requestToken(2, "b", for: refused, now: .seconds(551)) == .wait)
        #expect(machine.refreshCause == .rejection)
        #expect(machine.requestToken(3, "c", for: .refreshed, now: .seconds(551)) == .wait)
        #expect(machine.refreshCause == .rejection)
        #expect(machine.isCurrent(refresh: id))
    }

    // MARK: Sessions that cannot be renewed

    @Test(arguments: [Renewal.none, .confirmed])
    func `a session that cannot be renewed is not refreshed ahead of expiry`(renewal: Renewal) {
        var machine = Self.makeMachine(renewal: renewal)
        #expect((machine.refreshAhead(now: .seconds(550)) != nil) == (renewal == .confirmed))
        #expect(machine.sessionState == (renewal == .confirmed ? .refreshing : .active))
    }

    /// The device's clock may be wrong.
    @Test func `an expired token that cannot be renewed is used until the server refuses it`() {
        var machine = Self.makeMachine(renewal: .none)
        let current = Machine.RequestAction.answer(.success(Fixtures.live(3).token))
        func request(_ need: TokenRequirement) -> Machine.RequestAction {
            machine.requestToken(1, "a", for: need, now: .seconds(700))
        }
        #expect(request(.valid) == current)
        #expect(request(.replacing(Fixtures.token("access-2"))) == current)
        #expect(request(.replacing(Fixtures.token("access-3"), isBaseOrigin: false)) == .keepRefusal)
        #expect(request(.replacing(Fixtures.token("access-3"))) == .end)
        #expect(request(.refreshed) == .answer(.failure(.unsupported(.refresh))))
    }
}
