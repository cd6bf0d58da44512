// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

@Suite struct `Session state machine` {
    var machine = SessionStateMachine<String>(
        schedule: RefreshSchedule(refreshBefore: .seconds(60), minimumInterval: .seconds(30)),
        callerTimeout: .seconds(30),
        backoff: RetryBackoff(first: .seconds(1), limit: .seconds(20))
    )

    init() {
        machine.loaded(.success(Fixtures.record(Fixtures.stored(3))), at: Fixtures.moment(0))
    }

    /// Starts a refresh for waiter "a" of an expired token.
    mutating func startRefresh(_ waiters: String...) throws -> Int {
        var id: Int?
        for (index, waiter) in (waiters.isEmpty ? ["a"] : waiters).enumerated() {
            if case .startRefresh(let refresh, _) = machine.requestToken(index, waiter, for: .valid, now: .seconds(700))
            {
                id = refresh
            }
        }
        return try #require(id)
    }

    // MARK: What the store said

    @Test func `a stored session is loaded as the current session`() {
        #expect(machine.sessionState == .active)
        #expect(machine.currentSession?.session == Fixtures.stored(3))
    }

    @Test func `an unavailable store leaves the state unknown`() {
        var machine = SessionStateMachine<String>(
            schedule: machine.schedule,
            callerTimeout: .zero,
            backoff: RetryBackoff()
        )
        let fault = SessionStoreError(.locked, "locked")
        machine.loaded(.failure(fault), at: Fixtures.moment(0))
        #expect(machine.sessionState == .unknown)
        #expect(machine.requestToken(1, "a", for: .valid, now: .zero) == .answer(.failure(.storeUnavailable(fault))))
        machine.loaded(.success(Fixtures.record(Fixtures.stored(3))), at: Fixtures.moment(0))
        #expect(machine.sessionState == .active)
    }

    @Test func `a session is signed out if the store is empty`() {
        var machine = SessionStateMachine<String>(
            schedule: machine.schedule,
            callerTimeout: .zero,
            backoff: RetryBackoff()
        )
        machine.loaded(.success(nil), at: Fixtures.moment(0))
        #expect(machine.sessionState == .signedOut(nil))
        #expect(machine.requestToken(1, "a", for: .valid, now: .zero) == .answer(.failure(.signedOut(nil))))
    }

    @Test func `the reason of an ended session survives a restart`() {
        var machine = SessionStateMachine<String>(
            schedule: machine.schedule,
            callerTimeout: .zero,
            backoff: RetryBackoff()
        )
        let record = Fixtures.record(Fixtures.stored(3)).ending(.fork, keeping: .none)
        machine.loaded(.success(record), at: Fixtures.moment(0))
        #expect(machine.sessionState == .signedOut(.fork))
    }

    // MARK: Requests

    @Test mutating func `a valid token is returned to a caller`() {
        let action = machine.requestToken(1, "a", for: .valid, now: .seconds(599))
        #expect(action == .answer(.success(Fixtures.live(3).token)))
    }

    @Test mutating func `one refresh serves every caller`() throws {
        #expect(machine.requestToken(1, "a", for: .valid, now: .seconds(600)) == .startRefresh(1, at: .seconds(600)))
        #expect(machine.requestToken(2, "b", for: .valid, now: .seconds(601)) == .wait)
        #expect(machine.sessionState == .refreshing)

        let completion = machine.refreshed(1, Fixtures.currentSession(4), now: .zero, chance: 1)
        #expect(completion == WaiterCompletion(waiters: ["a", "b"], answer: .success(Fixtures.live(4).token)))
        #expect(machine.sessionState == .active)
    }

    @Test mutating func `a request that was refused with an old token gets the current one, without a refresh`() {
        let action = machine.requestToken(1, "a", for: .replacing(Fixtures.token("access-2")), now: .seconds(1))
        #expect(action == .answer(.success(Fixtures.live(3).token)))
    }

    @Test mutating func `a refusal of the current token starts a refresh, even right after a sign-in`() {
        let action = machine.requestToken(1, "a", for: .replacing(Fixtures.token("access-3")), now: .seconds(1))
        #expect(action == .startRefresh(1, at: .seconds(1)))
    }

    @Test mutating func `a refused token that resulted from a recent refusal starts no refresh`() {
        _ = machine.requestToken(1, "a", for: .replacing(Fixtures.token("access-3")), now: .seconds(1))
        #expect(machine.refreshCause == .rejection)
        var currentSession = Fixtures.currentSession(4)
        currentSession.token = Fixtures.live(4, cause: .rejection, at: 1)
        let completion = machine.refreshed(1, currentSession, now: .zero, chance: 1)
        #expect(completion != nil)

        #expect(
            machine.requestToken(2, "b", for: .replacing(Fixtures.token("access-4")), now: .seconds(30)) == .keepRefusal
        )
        let later = machine.requestToken(3, "c", for: .replacing(Fixtures.token("access-4")), now: .seconds(31))
        #expect(later == .startRefresh(2, at: .seconds(31)))
    }

    @Test mutating func `an explicit refresh request starts a refresh, regardless of the token's age`() {
        #expect(machine.requestToken(1, "a", for: .refreshed, now: .zero) == .startRefresh(1, at: .zero))
        #expect(machine.requestToken(2, "b", for: .valid, now: .zero) == .answer(.success(Fixtures.live(3).token)))
    }

    @Test mutating func `a cancelled caller is not resumed again, and the refresh continues`() throws {
        let id = try startRefresh("a", "b")
        #expect(machine.cancel(0) == "a")
        #expect(machine.cancel(0) == nil)
        #expect(machine.refreshed(id, Fixtures.currentSession(4), now: .zero, chance: 1)?.waiters == ["b"])
    }

    @Test mutating func `the cancellation of the last caller does not stop the refresh`() throws {
        let id = try startRefresh()
        #expect(machine.cancel(0) == "a")
        #expect(machine.isCurrent(refresh: id))
    }

    @Test mutating func `a refresh ahead of expiry starts once and delays no caller`() throws {
        let ahead = machine.refreshAhead(now: .seconds(550))
        let id = try #require(ahead)
        #expect(machine.refreshAhead(now: .seconds(551)) == nil)
        let meanwhile = machine.requestToken(1, "a", for: .valid, now: .seconds(552))
        #expect(meanwhile == .answer(.success(Fixtures.live(3).token)))
        guard case .giveUp(let completion) = machine.failed(id, retryAfter: nil, now: .seconds(553), chance: 1) else {
            Issue.record("nobody waits, so nobody retries")
            return
        }
        #expect(completion.waiters.isEmpty)
        // The failure concerns nobody whose token is good, and the next attempt waits.
        let after = machine.requestToken(2, "b", for: .valid, now: .seconds(553))
        #expect(after == .answer(.success(Fixtures.live(3).token)))
        #expect(machine.refreshAhead(now: .seconds(553.5)) == nil)
        #expect(machine.refreshAhead(now: .seconds(554)) != nil)
    }

    // MARK: Failures

    @Test mutating func `each failed attempt doubles the retry pause, up to the callers' timeout`() throws {
        let id = try startRefresh()
        var now = Duration.seconds(700)
        var waits: [Duration] = []
        while case .retry(let dismissed) = machine.failed(id, retryAfter: nil, now: now, chance: 1) {
            let next = try #require(machine.pauseEnd(of: id))
            #expect(dismissed.waiters.isEmpty)
            #expect(machine.sessionState == .offline)
            waits.append(next - now)
            now = next
        }
        #expect(waits == [1, 2, 4, 8].map(Duration.seconds))
        #expect(!machine.isCurrent(refresh: id))
        #expect(machine.sessionState == .offline)
        #expect(machine.currentSession?.session.generation == 3)
    }

    @Test mutating func `callers are dismissed when the next attempt is beyond their timeout`() throws {
        let id = try startRefresh()
        let action = machine.failed(id, retryAfter: .seconds(40), now: .seconds(700), chance: 0)
        let answer = WaiterCompletion(waiters: ["a"], answer: .failure(.offline(retryAfter: .seconds(40))))
        #expect(action == .giveUp(answer))
        // And nobody asks again before the server's time.
        let early = machine.requestToken(5, "b", for: .refreshed, now: .seconds(705))
        #expect(early == .answer(.failure(.offline(retryAfter: .seconds(35)))))
        let patient = machine.requestToken(6, "c", for: .valid, now: .seconds(711))
        #expect(patient == .startRefresh(2, at: .seconds(740)))
        #expect(machine.sessionState == .offline)
    }

    @Test(arguments: [SessionError.ConnectionFailure.noNetwork, .tls])
    mutating func `callers do not wait for a retry after a missing network or a TLS failure`(
        failure: SessionError.ConnectionFailure
    ) throws {
        let id = try startRefresh()
        let action = machine.failed(id, retryAfter: nil, connectionFailure: failure, now: .seconds(700), chance: 1)
        let error = SessionError.offline(retryAfter: .seconds(1), failure: failure)
        #expect(action == .giveUp(WaiterCompletion(waiters: ["a"], answer: .failure(error))))
        // The next caller has its own attempt at once, as the network may be back.
        #expect(machine.requestToken(1, "b", for: .valid, now: .seconds(700)) == .startRefresh(2, at: .seconds(700)))
        // Further callers cause an attempt every five seconds.
        _ = machine.failed(2, retryAfter: nil, connectionFailure: failure, now: .seconds(700), chance: 1)
        #expect(machine.requestToken(2, "c", for: .valid, now: .seconds(701)) == .startRefresh(3, at: .seconds(702)))
    }

    @Test(arguments: [SessionError.ConnectionFailure.cannotConnect, .hostNotFound, .connectionLost, .timedOut])
    mutating func `callers wait for a retry after a connection failure that may be temporary`(
        failure: SessionError.ConnectionFailure
    ) throws {
        let id = try startRefresh()
        let action = machine.failed(id, retryAfter: nil, connectionFailure: failure, now: .seconds(700), chance: 1)
        #expect(
            action
                == .retry(
                    dismissing: WaiterCompletion(
                        waiters: [],
                        answer: .failure(.offline(retryAfter: .seconds(1), failure: failure))
                    )
                )
        )
    }

    @Test mutating func `an explicit refresh does not wait for the backoff after a failure`() throws {
        let id = try startRefresh()
        #expect(machine.cancel(0) == "a")
        _ = machine.failed(id, retryAfter: nil, now: .seconds(700), chance: 1)
        let eager = machine.requestToken(1, "b", for: .refreshed, now: .seconds(700))
        #expect(eager == .startRefresh(2, at: .seconds(700)))
    }

    @Test mutating func `a caller's timeout during an attempt fails the caller, and the attempt continues`() throws {
        let id = try startRefresh("a")
        #expect(machine.nextWaiterDeadline == .seconds(730))
        #expect(machine.expireWaiters(now: .seconds(730) - .nanoseconds(1)).waiters.isEmpty)
        #expect(machine.expireWaiters(now: .seconds(730)).waiters == ["a"])
        #expect(machine.isCurrent(refresh: id))
        #expect(machine.nextWaiterDeadline == nil)
    }

    @Test mutating func `an unusable response is reported, and the refresh is not repeated immediately`() throws {
        let id = try startRefresh()
        let completion = machine.receivedUnusableResponse(id, .invalidResponse("odd"), now: .seconds(700), chance: 1)
        #expect(completion == WaiterCompletion(waiters: ["a"], answer: .failure(.invalidResponse("odd"))))
        #expect(machine.currentSession?.session.generation == 3)
        let next = machine.requestToken(1, "b", for: .valid, now: .seconds(700))
        #expect(next == .startRefresh(2, at: .seconds(701)))
    }

    // MARK: Sign-in and sign-out win

    @Test mutating func `a sign-out fails all waiting callers, and later events of the refresh are ignored`() throws {
        let id = try startRefresh("a", "b")
        let completion = machine.signOut()
        #expect(completion == WaiterCompletion(waiters: ["a", "b"], answer: .failure(.signedOut(.requested))))
        #expect(machine.sessionState == .signedOut(.requested))
        #expect(machine.refreshed(id, Fixtures.currentSession(4), now: .zero, chance: 1) == nil)
        #expect(machine.ended(id, .fork) == nil)
        #expect(machine.receivedUnusableResponse(id, .invalidResponse("odd"), now: .zero, chance: 0) == nil)
        #expect(machine.failed(id, retryAfter: nil, now: .zero, chance: 0) == .overtaken)
        let stored = Fixtures.record(Fixtures.stored(3))
        #expect(machine.prepare(id, stored: .success(stored), at: Fixtures.moment(700)) == .overtaken)
        #expect(machine.sessionState == .signedOut(.requested))
    }

    @Test func `a sign-in may return a token with a pending logout until it ends or a sign-out follows`() {
        var machine = machine
        let first = machine.beginSignIn()
        #expect(machine.signInMayReviveToken)
        machine.endSignIn(first)
        #expect(!machine.signInMayReviveToken)
        _ = machine.beginSignIn()
        _ = machine.signOut()
        #expect(!machine.signInMayReviveToken, "what it brings is not used any more")
        _ = machine.beginSignIn()
        #expect(machine.signInMayReviveToken)
    }

    @Test func `a session that one sign-in has stored is known to concurrent sign-ins, and not to later ones`() {
        var machine = machine
        let (first, second) = (machine.beginSignIn(), machine.beginSignIn())
        let session = Fixtures.stored(0)
        _ = machine.signedIn(first, CurrentSession(session: session, token: Fixtures.live(0), isSaved: true))
        machine.endSignIn(first)
        #expect(machine.stored(session, concurrentWith: second) == session)
        #expect(machine.stored(Fixtures.stored(0, id: Fixtures.otherSession), concurrentWith: second) == nil)
        let later = machine.beginSignIn()
        #expect(machine.stored(session, concurrentWith: later) == nil, "the user wants this one")
        machine.endSignIn(second)
        #expect(machine.stored(session, concurrentWith: second) == nil, "what is not needed is forgotten")
    }

    @Test mutating func `an account switch fails the callers that wait for the old account's token`() throws {
        let id = try startRefresh()
        let signIn = machine.beginSignIn()
        #expect(machine.isCurrent(signIn))
        let other = CurrentSession(
            session: Fixtures.stored(0, id: Fixtures.otherSession),
            token: Fixtures.live(0),
            isSaved: true
        )
        let completion = machine.signedIn(signIn, other)
        #expect(completion == WaiterCompletion(waiters: ["a"], answer: .failure(.signedOut(.replaced))))
        #expect(machine.refreshed(id, Fixtures.currentSession(4), now: .zero, chance: 1) == nil)
        #expect(machine.currentSession == other)
    }

    @Test mutating func `a sign-in is obsolete after a sign-out, and after a later sign-in that succeeds`() {
        let first = machine.beginSignIn()
        _ = machine.signOut()
        #expect(!machine.isCurrent(first))
        let second = machine.beginSignIn()
        let third = machine.beginSignIn()
        #expect(machine.isCurrent(second) && machine.isCurrent(third), "neither has succeeded yet")
        _ = machine.signedIn(third, Fixtures.currentSession(0))
        #expect(!machine.isCurrent(second))
        let fourth = machine.beginSignIn()
        #expect(machine.isCurrent(fourth))
    }

    @Test mutating func `a request of one session is never replayed with the token of the next`() {
        let signIn = machine.beginSignIn()
        var live = Fixtures.live(0)
        live.token = AccessToken(value: "b", expiresAt: .distantFuture, sessionID: "other")
        let other = CurrentSession(session: Fixtures.stored(0, id: Fixtures.otherSession), token: live, isSaved: true)
        _ = machine.signedIn(signIn, other)
        let action = machine.requestToken(1, "a", for: .replacing(Fixtures.token("access-3")), now: .seconds(1))
        #expect(action == .answer(.failure(.signedOut(.replaced))))
    }

    @Test mutating func `a sign-in that returns the current session does not interrupt its refresh`() throws {
        let id = try startRefresh()
        let signIn = machine.beginSignIn()
        let completion = machine.signedIn(signIn, Fixtures.currentSession(3))
        #expect(completion.waiters.isEmpty)
        #expect(machine.isCurrent(refresh: id))
        #expect(machine.refreshed(id, Fixtures.currentSession(4), now: .zero, chance: 1)?.waiters == ["a"])
    }

    @Test mutating func `a sign-out that could not be recorded is not undone by the store`() {
        _ = machine.signOut()
        let time = Fixtures.moment(0)
        machine.pendingSignOut = .init(session: Fixtures.stored(3), reason: .requested, time: time)
        machine.loaded(.success(Fixtures.record(Fixtures.stored(3))), at: time)
        #expect(machine.sessionState == .signedOut(.requested))
    }

    @Test func `a sign-out that waits for the store ends its session, and no session of a later sign-in`() {
        let time = Fixtures.moment(0)
        let known = SessionStateMachine<String>.PendingSignOut(
            session: Fixtures.stored(3),
            reason: .requested,
            time: time
        )
        var unknown = known
        unknown.session = nil
        let other = Fixtures.stored(3, id: Fixtures.otherSession)
        #expect(known.ends(Fixtures.stored(3)) && !known.ends(other))
        #expect(unknown.ends(Fixtures.stored(3)) && unknown.ends(other))
        // A sign-in after it, which may bring the same session again.
        var later = Fixtures.stored(0)
        later.askedAt += 1
        #expect(!known.ends(later) && !unknown.ends(later))
        // Another process has refreshed the session since.
        later.signedIn = StoredTime(Fixtures.moment(1))
        later.generation = 4
        #expect(!known.ends(later) && !unknown.ends(later))
        // A record of a version without the time of the sign-in does not tell it after a refresh.
        later.signedIn = nil
        #expect(known.ends(later) && unknown.ends(later))
    }

    @Test(arguments: [(9.0, "a", false), (10, "a", false), (11, "a", true), (11, "b", false)])
    func `the boot clock decides within one boot whether a sign-in was later than a sign-out`(
        asked: Double,
        boot: String,
        isLater: Bool
    ) {
        // The wall clock was set back.
        var moment = Fixtures.moment(100)
        moment.boot = BootTime(boot: "a", elapsed: .seconds(10))
        var session = Fixtures.stored(0)
        session.askedSinceBoot = asked
        session.boot = boot
        #expect(session.wasSignedIn(after: moment) == isLater)
    }

    @Test mutating func `a final response ends the session for every caller`() throws {
        let id = try startRefresh("a", "b")
        let completion = machine.ended(id, .staleHolder)
        #expect(completion == WaiterCompletion(waiters: ["a", "b"], answer: .failure(.signedOut(.staleHolder))))
        #expect(machine.sessionState == .signedOut(.staleHolder))
    }
}
