// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire
import Testing

@testable import FreshetHTTP

/// A socket's decisions, by value.
@Suite struct `A socket's state machine` {
    private static let start = Timestamp(milliseconds: 1_000_000)
    private let policy: SocketEndpointPolicy
    private let claims = AccessClaims(
        user: UUID(),
        session: .random(),
        issuedAt: start,
        expiresAt: start + .seconds(10)
    )

    init() throws { policy = try .native() }

    private func auth(_ token: String) -> SocketMessage { .text(#"{"access_token":"\#(token)","type":"auth"}"#) }

    @Test func `a socket requires a token before its first message, and delivers messages afterwards`() {
        var machine = SocketStateMachine(policy, nil)
        #expect(machine.claims == nil)
        #expect(machine.receive(.text("hello")) == .close(policy.invalid))
        #expect(machine.receive(.binary(Data())) == .close(policy.invalid))
        #expect(machine.receive(auth("t")) == .check("t"))
        let opening = machine.tokenChecked(claims)
        #expect(opening == .open(claims))
        #expect(machine.claims == claims)
        #expect(machine.receive(.text("hello")) == .deliver)
        #expect(machine.receive(.text(#"{"type":"auth"}"#)) == .deliver)
        #expect(machine.receive(auth("u")) == .check("u"))
    }

    @Test func `a socket is closed if its first token is invalid`() {
        var machine = SocketStateMachine(policy, nil)
        let refused = machine.tokenChecked(nil)
        #expect(refused == .close(policy.invalid))
    }

    @Test func `the authentication timeout applies only to sockets without a token`() {
        #expect(SocketStateMachine(policy, nil).authenticationTimedOut() == policy.late)
        #expect(SocketStateMachine(policy, claims).authenticationTimedOut() == nil)
    }

    @Test func `a socket closes when its token expires, and not before`() {
        let machine = SocketStateMachine(policy, claims)
        #expect(machine.checkExpiry(at: Self.start + .milliseconds(9_999)) == nil)
        #expect(machine.checkExpiry(at: Self.start + .seconds(10)) == policy.expired)
        #expect(SocketStateMachine(policy, nil).checkExpiry(at: Self.start + .seconds(99)) == nil)
    }

    @Test func `a newer access token extends the time of a socket, and an older token does not shorten it`() {
        var machine = SocketStateMachine(policy, claims)
        var newer = claims
        newer.expiresAt = Self.start + .seconds(20)
        let renewal = machine.tokenChecked(newer)
        #expect(renewal == .renew(newer))
        let older = machine.tokenChecked(claims)
        #expect(older == .renew(newer))
        #expect(machine.checkExpiry(at: Self.start + .seconds(19)) == nil)
        #expect(machine.checkExpiry(at: Self.start + .seconds(20)) == policy.expired)
    }

    @Test func `a socket is closed on a token of another session or another user`() {
        var machine = SocketStateMachine(policy, claims)
        var other = claims
        other.session = .random()
        let session = machine.tokenChecked(other)
        #expect(session == .close(policy.foreign))
        other = claims
        other.user = UUID()
        let user = machine.tokenChecked(other)
        #expect(user == .close(policy.foreign))
    }

    @Test func `a closing socket ignores messages and tokens`() {
        var machine = SocketStateMachine(policy, claims)
        let isFirst = machine.beginClosing()
        let isSecond = machine.beginClosing()
        #expect(isFirst && !isSecond)
        #expect(machine.isClosing)
        #expect(machine.receive(auth("t")) == .ignore)
        let late = machine.tokenChecked(claims)
        #expect(late == .ignore)
        #expect(machine.checkExpiry(at: Self.start + .seconds(99)) == nil)
    }
}
