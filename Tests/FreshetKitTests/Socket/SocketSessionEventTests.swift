// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures
import Testing

@testable import FreshetKit

/// The socket's reactions to events of the session, the app and the system, decided by value.
@Suite struct `Socket and its session` {
    var machine = SocketStateMachine(rules: SocketPolicy())
    let token = Fixtures.socketToken(1)
    static let lasting = SocketTokenRequirement.validFor(.seconds(10))

    mutating func open(_ renewal: SocketPolicy.Renewal = .none) {
        machine = SocketStateMachine(rules: SocketPolicy(renewal: renewal))
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        _ = machine.connected(1, now: .zero)
    }

    // MARK: Sign-out

    @Test(arguments: [
        (SessionState.signedOut(.revoked), SocketCloseReason.signedOut(.revoked)), (.ending, .signedOut(.requested)),
    ]) mutating func `a sign-out closes the connection`(state: SessionState, end: SocketCloseReason) {
        open()
        #expect(machine.sessionChanged(state, id: nil, token: nil) == .disconnect(1, code: 1000))
        #expect(machine.socketState(now: .zero) == .closed(end))
        #expect(machine.disconnected(1, now: .zero) == .nothing)
    }

    @Test(arguments: [
        SessionError.offline(retryAfter: .seconds(5)), .cancelled,
        .storeUnavailable(SessionStoreError(.locked, "locked")),
    ])
    mutating func `a sign-out during a token request that fails for another reason closes the socket`(
        error: SessionError
    ) {
        _ = machine.start(owner: "s1", now: .zero)
        let session = SessionState.signedOut(.revoked)
        #expect(machine.sessionChanged(session, id: nil, token: nil) == .nothing)
        _ = machine.tokenFailed(1, error, session: session, now: .zero, chance: 1)
        #expect(machine.state == .closed(.signedOut(.revoked)))
    }

    /// It may have read a newer state from the store.
    @Test mutating func `the sign-out reason from the token request takes precedence over the session's reason`() {
        _ = machine.start(owner: "s1", now: .zero)
        let session = SessionState.signedOut(.revoked)
        _ = machine.tokenFailed(1, .signedOut(.requested), session: session, now: .zero, chance: 1)
        #expect(machine.state == .closed(.signedOut(.requested)))
    }

    @Test mutating func `a stopped socket reconnects only on request`() {
        open()
        _ = machine.sessionChanged(.signedOut(.requested), id: nil, token: nil)
        _ = machine.disconnected(1, now: .zero)
        #expect(machine.sessionChanged(.active, id: "s2", token: Fixtures.live(1)) == .nothing)
        #expect(machine.resume(now: .zero) == .nothing)
        #expect(machine.networkChanged(isUp: true, now: .zero, chance: 0) == .nothing)
        #expect(machine.start(owner: "s2", now: .zero) == .fetchToken(2, Self.lasting))
    }

    @Test mutating func `another user's sign-in ends the connection`() {
        open()
        let action = machine.sessionChanged(.active, id: "s2", token: Fixtures.live(1))
        #expect(action == .disconnect(1, code: 1000))
        #expect(machine.socketState(now: .zero) == .closed(.signedOut(.replaced)))
    }

    @Test mutating func `another user's token cancels a connection attempt that was started before`() {
        _ = machine.start(owner: "s1", now: .zero)
        #expect(
            machine.tokenReceived(1, Fixtures.socketToken(1, of: "s2"), now: .zero, chance: 1) == .cancelTokenFetch(1)
        )
        #expect(machine.state == .closed(.signedOut(.replaced)))
    }

    @Test mutating func `another user's sign-in ends a reconnect pause and closes the socket`() {
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        _ = machine.ended(1, .lost, now: .zero, chance: 1)
        #expect(machine.sessionChanged(.active, id: "s2", token: Fixtures.live(1)) == .nothing)
        #expect(machine.state == .closed(.signedOut(.replaced)))
        #expect(machine.wake(2, now: .seconds(1)) == .nothing)
    }

    @Test mutating func `a socket for another user starts without the previous user's back-off`() {
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        _ = machine.ended(1, .lost, now: .zero, chance: 1)
        _ = machine.sessionChanged(.active, id: "s2", token: Fixtures.live(1))
        #expect(machine.start(owner: "s2", now: .zero) == .fetchToken(3, Self.lasting))
    }

    // MARK: New tokens

    @Test mutating func `a new token is sent over the open connection once if the contract has renewal messages`() {
        open(.push)
        let new = Fixtures.live(2, at: 500)
        let action = machine.sessionChanged(.active, id: "s1", token: new)
        #expect(action == .push(1, SocketToken(new, of: "s1"), renewalAt: .seconds(1070)))
        // The same one again is no news.
        #expect(machine.sessionChanged(.active, id: "s1", token: new) == .nothing)
    }

    @Test mutating func `a new token has no effect on an open connection without renewal`() {
        open()
        #expect(machine.sessionChanged(.active, id: "s1", token: Fixtures.live(2)) == .nothing)
        #expect(machine.socketState(now: .zero) == .open(connection: 1))
    }

    @Test mutating func `a socket requests a newer token 30 seconds before expiry and sends it over the connection`() {
        machine = SocketStateMachine(rules: SocketPolicy(renewal: .push))
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        #expect(machine.connected(1, now: .zero) == .serve(1, connection: 1, renewalAt: .seconds(570)))
        #expect(machine.renewalDue(1) == .renew(1, .newer(than: token.token)))
        #expect(machine.renewalDue(1) == .nothing)
        let new = Fixtures.socketToken(2, at: 570)
        #expect(machine.renewed(1, new) == .push(1, new, renewalAt: .seconds(1140)))
    }

    @Test mutating func `a socket obtains a newer token before it closes the old connection to reconnect`() {
        open(.reconnect(lead: .seconds(60)))
        #expect(machine.renewalDue(1) == .renew(1, .newer(than: token.token)))
        #expect(machine.socketState(now: .zero) == .open(connection: 1))
        #expect(machine.renewed(1, Fixtures.socketToken(2, at: 540)) == .disconnect(1, code: 1000))
        #expect(machine.disconnected(1, now: .seconds(540)) == .fetchToken(2, Self.lasting))
    }

    @Test mutating func `a connection stays open if its renewal returns no newer token`() {
        open(.reconnect(lead: .seconds(60)))
        _ = machine.renewalDue(1)
        #expect(machine.renewed(1, nil) == .nothing)
        #expect(machine.socketState(now: .zero) == .open(connection: 1))
    }

    @Test
    func `the reconnect lead is limited for a short-lived token, and no reconnect is due in the first 30 seconds`() {
        let rules = SocketPolicy(renewal: .reconnect(lead: .seconds(60)))
        var token = Fixtures.socketToken(1)
        token.expiresAt = .seconds(20)
        #expect(rules.renewalTime(of: token, openedAt: .zero) == .seconds(30))
        token.expiresAt = .seconds(100)
        #expect(rules.renewalTime(of: token, openedAt: .zero) == .seconds(80))
    }

    // MARK: App and system

    @Test mutating func `a socket disconnects in the background and obtains a token when the app resumes`() {
        open()
        #expect(machine.suspend() == .disconnect(1, code: 1001))
        #expect(machine.disconnected(1, now: .zero) == .sleep(2, until: nil))
        #expect(machine.socketState(now: .zero) == .waiting(retryAfter: nil, .suspended))
        #expect(machine.start(owner: "s1", now: .zero) == .nothing)
        #expect(machine.resume(now: .seconds(900)) == .fetchToken(3, Self.lasting))
    }

    @Test mutating func `a socket that is started in the background waits until the app resumes`() {
        #expect(machine.suspend() == .nothing)
        #expect(machine.start(owner: "s1", now: .zero) == .sleep(1, until: nil))
        #expect(machine.resume(now: .zero) == .fetchToken(2, Self.lasting))
    }

    @Test mutating func `a suspension does not shorten the reconnect pause`() {
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        _ = machine.ended(1, .lost, now: .zero, chance: 1)
        #expect(machine.suspend() == .nothing)
        #expect(machine.resume(now: .milliseconds(500)) == .sleep(4, until: .seconds(1)))
    }

    @Test mutating func `a returning network shortens the reconnect pause to a random delay`() {
        _ = machine.start(owner: "s1", now: .zero)
        var number = 1
        var now = Duration.zero
        for _ in 0..<6 {
            _ = machine.tokenReceived(number, token, now: now, chance: 1)
            guard case .sleep(let pause, let until?) = machine.ended(number, .lost, now: now, chance: 1) else { return }
            guard case .fetchToken(let another, _) = machine.wake(pause, now: until) else { return }
            (number, now) = (another, until)
        }
        _ = machine.tokenReceived(number, token, now: now, chance: 1)
        _ = machine.ended(number, .lost, now: now, chance: 1)
        let action = machine.networkChanged(isUp: true, now: now, chance: 0.25)
        guard case .sleep(_, until: now + .milliseconds(250)) = action else {
            Issue.record("\(action)")
            return
        }
    }

    @Test mutating func `a socket without a network retries at the longest back-off interval`() {
        _ = machine.start(owner: "s1", now: .zero)
        _ = machine.tokenReceived(1, token, now: .zero, chance: 1)
        _ = machine.ended(1, .lost, now: .zero, chance: 1)
        #expect(machine.networkChanged(isUp: false, now: .zero, chance: 1) == .nothing)
        #expect(machine.wake(2, now: .seconds(1)) == .sleep(3, until: .seconds(31)))
        #expect(machine.socketState(now: .seconds(1)) == .waiting(retryAfter: .seconds(30), .noNetwork))
        #expect(machine.wake(3, now: .seconds(31)) == .fetchToken(4, Self.lasting))
    }

    @Test mutating func `an open connection is pinged when the network changes`() {
        open()
        #expect(machine.networkChanged(isUp: true, now: .zero, chance: 1) == .probe(1))
    }
}
