// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

/// The machine decides by value: an event in, an action out.
@Suite struct `Socket state machine` {
    var machine = SocketStateMachine(rules: SocketPolicy())
    let token = Fixtures.socketToken(1)
    let next = Fixtures.socketToken(2)

    static let lasting = SocketTokenRequirement.validFor(.seconds(10))
    static let expired = SocketFailure(outcome: .accessExpired, interruption: .refused(status: 401), isBaseOrigin: true)
    static let expiredOnClose = SocketFailure(outcome: .accessExpired, interruption: .closed(code: 4401))

    /// Goes to an open connection.
    mutating func open(at now: Duration = .zero) {
        _ = machine.start(owner: "s1", now: now)
        _ = machine.tokenReceived(1, token, now: now, chance: 1)
        _ = machine.connected(1, now: now)
    }

    @Test mutating func `a socket obtains a token before it connects`() {
        #expect(machine.start(owner: "s1", now: .zero) == .fetchToken(1, Self.lasting))
        #expect(machine.socketState(now: .zero) == .waitingForToken)
        #expect(machine.tokenReceived(1, token, now: .zero, chance: 1) == .connect(1, token))
        #expect(machine.socketState(now: .zero) == .connecting)
        #expect(machine.connected(1, now: .zero) == .serve(1, connection: 1, renewalAt: nil))
        #expect(machine.socketState(now: .zero) == .open(connection: 1))
    }

    @Test mutating func `starting a socket again has no effect while it obtains a token, connects or is open`() {
        _ = machine.start(owner: "s1", now: .zero)
        #expect(machine.start(owner: "s1", now: .zero) == .nothing)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        #expect(machine.start(owner: "s1", now: .zero) == .nothing)
        _ = machine.connected(1, now: .zero)
        #expect(machine.start(owner: "s1", now: .zero) == .nothing)
    }

    @Test mutating func `events of obsolete attempts have no effect`() {
        open()
        let before = machine.state
        #expect(machine.tokenReceived(1, next, now: .zero, chance: 1) == .nothing)
        #expect(machine.tokenFailed(1, .signedOut(nil), session: .active, now: .zero, chance: 1) == .nothing)
        #expect(machine.connected(1, now: .zero) == .nothing)
        #expect(machine.ended(7, .lost, now: .zero, chance: 1) == .nothing)
        #expect(machine.disconnected(1, now: .zero) == .nothing)
        #expect(machine.wake(1, now: .zero) == .nothing)
        #expect(machine.renewed(1, next) == .nothing)
        #expect(machine.state == before)
    }

    // MARK: Refused tokens

    @Test mutating func `the first refused token is replaced, and the socket reconnects immediately`() {
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        let action = machine.ended(1, Self.expired, now: .zero, chance: 1)
        #expect(action == .fetchToken(2, .replacing(token.token, isBaseOrigin: true)))
        #expect(machine.tokenReceived(2, next, now: .zero, chance: 1) == .connect(2, next))
    }

    @Test mutating func `repeated refusals of fresh tokens are retried with exponential back-off up to 30 seconds`()
        throws
    {
        _ = machine.start(owner: "s1", now: .zero)
        var now = Duration.zero
        var number = 1
        var waits: [Duration] = []
        _ = machine.tokenReceived(1, token, now: now, chance: 1)
        for _ in 0..<9 {
            switch machine.ended(number, Self.expired, now: now, chance: 1) {
            case .fetchToken(let another, _): number = another
            case .sleep(let pause, let until?):
                waits.append(until - now)
                now = until
                guard case .fetchToken(let another, .replacing) = machine.wake(pause, now: now) else {
                    Issue.record("no replacement is asked for")
                    return
                }
                number = another
            case let other: Issue.record("\(other)")
            }
            _ = machine.tokenReceived(number, Fixtures.socketToken(UInt64(number)), now: now, chance: 1)
        }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30].map(Duration.seconds))
    }

    @Test mutating func `a refused token is used again after a pause if no newer token is available`() {
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        _ = machine.ended(1, Self.expired, now: .zero, chance: 1)
        #expect(machine.tokenReceived(2, nil, now: .zero, chance: 1) == .sleep(3, until: .seconds(1)))
        #expect(machine.socketState(now: .zero) == .waiting(retryAfter: .seconds(1), .refused(status: 401)))
        #expect(machine.wake(3, now: .seconds(1)) == .fetchToken(4, Self.lasting))
    }

    @Test mutating func `a second immediate close for an expired token is followed by a pause`() {
        open()
        #expect(machine.ended(1, Self.expiredOnClose, now: .zero, chance: 1) == .disconnect(1, code: 1000))
        #expect(machine.disconnected(1, now: .zero) == .fetchToken(2, .replacing(token.token, isBaseOrigin: false)))
        _ = machine.tokenReceived(2, next, now: .zero, chance: 1)
        _ = machine.connected(2, now: .zero)
        _ = machine.ended(2, Self.expiredOnClose, now: .zero, chance: 1)
        #expect(machine.disconnected(2, now: .zero) == .sleep(3, until: .seconds(1)))
    }

    @Test mutating func `a close at the token's expiry is not counted as a failure`() {
        open()
        for round in 1...5 {
            let now = Duration.seconds(600 * round - 1)
            _ = machine.ended(round, Self.expiredOnClose, now: now, chance: 1)
            guard case .fetchToken(round + 1, .replacing) = machine.disconnected(round, now: now) else {
                Issue.record("round \(round): \(machine.state)")
                return
            }
            let token = Fixtures.socketToken(UInt64(round + 1), at: now.inSeconds)
            _ = machine.tokenReceived(round + 1, token, now: now, chance: 1)
            _ = machine.connected(round + 1, now: now)
        }
    }

    @Test mutating func `a socket closes as signed out only after the refresh has confirmed the end of the session`() {
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        let failure = SocketFailure(outcome: .sessionEnded(.revoked), interruption: .refused(status: 401))
        #expect(
            machine.ended(1, failure, now: .zero, chance: 1)
                == .fetchToken(2, .replacing(token.token, isBaseOrigin: false))
        )
        #expect(machine.tokenFailed(2, .signedOut(.revoked), session: .active, now: .zero, chance: 1) == .nothing)
        #expect(machine.state == .closed(.signedOut(.revoked)))
    }

    // MARK: Back-off

    @Test mutating func `lost connections are retried indefinitely, with jittered back-off up to 30 seconds`() {
        _ = machine.start(owner: "s1", now: .zero)
        var now = Duration.zero
        var number = 1
        for round in 0..<200 {
            _ = machine.tokenReceived(number, token, now: now, chance: 1)
            let action = machine.ended(number, .lost, now: now, chance: 0.5)
            guard case .sleep(let pause, let until?) = action else {
                Issue.record("round \(round): \(action)")
                return
            }
            let ceiling = Duration.seconds(min(30, 1 << min(round, 5)))
            #expect(until - now == ceiling * 0.5)
            now = until
            guard case .fetchToken(let another, Self.lasting) = machine.wake(pause, now: now) else {
                Issue.record("round \(round)")
                return
            }
            number = another
        }
    }

    @Test mutating func `a returning network does not shorten the pause of the server's Retry-After`() {
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        let failure = SocketFailure(outcome: .throttled(retryAfter: .seconds(60)), interruption: .refused(status: 429))
        #expect(machine.ended(1, failure, now: .zero, chance: 1) == .sleep(2, until: .seconds(61)))
        #expect(machine.networkChanged(isUp: true, now: .seconds(1), chance: 0) == .sleep(3, until: .seconds(61)))
    }

    @Test mutating func `only a connection of at least 30 seconds resets the back-off`() {
        open()
        for (round, seconds) in [(1, 1), (2, 2), (3, 4)] {
            let number = (round - 1) * 2 + 1
            let now = Duration.seconds(100 * (round - 1))
            // Each lasts 29 s, one short of what counts.
            let end = now + .seconds(29)
            #expect(machine.ended(number, .lost, now: end, chance: 1) == .disconnect(number, code: 1000))
            #expect(machine.disconnected(number, now: end) == .sleep(number + 1, until: end + .seconds(seconds)))
            let again = Duration.seconds(100 * round)
            #expect(machine.wake(number + 1, now: again) == .fetchToken(number + 2, Self.lasting))
            _ = machine.tokenReceived(number + 2, token, now: again, chance: 1)
            _ = machine.connected(number + 2, now: again)
        }
        _ = machine.ended(7, .lost, now: .seconds(330), chance: 1)
        #expect(machine.disconnected(7, now: .seconds(330)) == .sleep(8, until: .seconds(331)))
    }

    @Test mutating func `a socket does not reconnect before its old connection is closed`() {
        open()
        _ = machine.ended(1, Self.expiredOnClose, now: .zero, chance: 1)
        #expect(machine.isEnding)
        #expect(machine.start(owner: "s1", now: .zero) == .nothing)
        #expect(machine.resume(now: .zero) == .nothing)
        #expect(machine.networkChanged(isUp: true, now: .zero, chance: 0) == .nothing)
        #expect(machine.isEnding)
    }

    @Test mutating func `a socket waits for the retry delay of the token request, unless the network returns`() {
        _ = machine.start(owner: "s1", now: .zero)
        let action = machine.tokenFailed(1, .offline(retryAfter: .seconds(5)), session: .active, now: .zero, chance: 1)
        #expect(action == .sleep(2, until: .seconds(6)))
        // A network that returns may mend that.
        #expect(machine.networkChanged(isUp: true, now: .zero, chance: 0.5) == .sleep(3, until: .milliseconds(500)))
    }

    @Test(arguments: [
        SessionError.storeUnavailable(SessionStoreError(.locked, "locked")), .misconfigured("odd"),
        .invalidResponse("odd"), .cancelled,
        .refused(code: "x", message: nil), .offline(retryAfter: nil),
    ]) mutating func `a failed token request of an active session makes the socket wait, not close`(error: SessionError)
    {
        _ = machine.start(owner: "s1", now: .zero)
        #expect(machine.tokenFailed(1, error, session: .active, now: .zero, chance: 1) == .sleep(2, until: .seconds(1)))
        #expect(machine.socketState(now: .zero) == .waiting(retryAfter: .seconds(1), .session(error)))
    }

    // MARK: Ends

    @Test mutating func `a forbidden socket stays closed, and its next start waits for the back-off`() {
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        let failure = SocketFailure(outcome: .forbidden, interruption: .refused(status: 403))
        #expect(machine.ended(1, failure, now: .zero, chance: 1) == .nothing)
        #expect(machine.socketState(now: .zero) == .closed(.forbidden(code: 403)))
        #expect(machine.start(owner: "s1", now: .zero) == .sleep(2, until: .seconds(1)))
        #expect(machine.wake(2, now: .seconds(1)) == .fetchToken(3, Self.lasting))
    }

    @Test(arguments: [
        (Outcome.stepUp, SocketCloseReason.stepUpRequired), (.invalidRequest("none"), .fault("none")),
        (.misconfigured("odd"), .fault("odd")),
        (.contractViolation("worse"), .fault("worse")),
        (.refused(code: "no", message: "secret"), .fault("the server refuses the socket: no")),
    ]) mutating func `a permanent failure of the handshake closes the socket with its reason`(
        outcome: Outcome,
        end: SocketCloseReason
    ) {
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        _ = machine.ended(
            1,
            SocketFailure(outcome: outcome, interruption: .refused(status: 400)),
            now: .zero,
            chance: 1
        )
        #expect(machine.state == .closed(end))
    }

    @Test mutating func `a socket closes on request before, during and after connecting, with close code 1000`() {
        #expect(machine.stop(.requested) == .nothing)
        #expect(machine.state == .closed(.requested))
        _ = machine.start(owner: "s1", now: .zero)
        #expect(machine.stop(.requested) == .cancelTokenFetch(1))
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(2, token, now: .zero, chance: 1)
        #expect(machine.stop(.requested) == .disconnect(2, code: 1000))
        #expect(machine.socketState(now: .zero) == .closed(.requested))
        // The handshake that was called off is still under way.
        #expect(machine.start(owner: "s1", now: .zero) == .nothing)
        #expect(machine.disconnected(2, now: .zero) == .fetchToken(3, Self.lasting))
        _ = machine.tokenReceived(3, token, now: .zero, chance: 1)
        _ = machine.connected(3, now: .zero)
        #expect(machine.stop(.requested) == .disconnect(3, code: 1000))
        #expect(machine.disconnected(3, now: .zero) == .nothing)
        #expect(machine.state == .closed(.requested))
    }
}
