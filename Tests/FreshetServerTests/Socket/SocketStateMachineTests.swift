// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetEngine
import FreshetWire
import Testing

@testable import FreshetServer

/// What a socket decides, by value.
@Suite struct `A socket's state machine` {
    private static let start = Timestamp(milliseconds: 1_000_000)
    private let terms: SocketTerms
    private let claims = AccessClaims(
        user: UUID(),
        session: .random(),
        issuedAt: start,
        expiresAt: start + .seconds(10)
    )

    init() throws { terms = try .native() }

    private func auth(_ token: String) -> SocketMessage { .text(#"{"access_token":"\#(token)","type":"auth"}"#) }

    @Test func `asks for a token first, and hands messages on after it`() {
        var machine = SocketStateMachine(terms, nil)
        #expect(machine.claims == nil)
        #expect(machine.receive(.text("hello")) == .close(terms.invalid))
        #expect(machine.receive(.binary(Data())) == .close(terms.invalid))
        #expect(machine.receive(auth("t")) == .check("t"))
        let opening = machine.finishCheck(claims)
        #expect(opening == .open(claims))
        #expect(machine.claims == claims)
        #expect(machine.receive(.text("hello")) == .hand)
        #expect(machine.receive(.text(#"{"type":"auth"}"#)) == .hand)
        #expect(machine.receive(auth("u")) == .check("u"))
    }

    @Test func `a first token that is not good is the end`() {
        var machine = SocketStateMachine(terms, nil)
        let refused = machine.finishCheck(nil)
        #expect(refused == .close(terms.invalid))
    }

    @Test func `time runs out only for who has shown no token`() {
        #expect(SocketStateMachine(terms, nil).runOut() == terms.late)
        #expect(SocketStateMachine(terms, claims).runOut() == nil)
    }

    @Test func `closes at the token's end and not before`() {
        let machine = SocketStateMachine(terms, claims)
        #expect(machine.look(at: Self.start + .milliseconds(9_999)) == nil)
        #expect(machine.look(at: Self.start + .seconds(10)) == terms.expired)
        #expect(SocketStateMachine(terms, nil).look(at: Self.start + .seconds(99)) == nil)
    }

    @Test func `a renewal moves the end, and an older token does not move it back`() {
        var machine = SocketStateMachine(terms, claims)
        var newer = claims
        newer.expiresAt = Self.start + .seconds(20)
        let renewal = machine.finishCheck(newer)
        #expect(renewal == .renew(newer))
        let older = machine.finishCheck(claims)
        #expect(older == .renew(newer))
        #expect(machine.look(at: Self.start + .seconds(19)) == nil)
        #expect(machine.look(at: Self.start + .seconds(20)) == terms.expired)
    }

    @Test func `another session's token, or another user's, is foreign`() {
        var machine = SocketStateMachine(terms, claims)
        var other = claims
        other.session = .random()
        let session = machine.finishCheck(other)
        #expect(session == .close(terms.foreign))
        other = claims
        other.user = UUID()
        let user = machine.finishCheck(other)
        #expect(user == .close(terms.foreign))
    }

    @Test func `nothing comes after the close`() {
        var machine = SocketStateMachine(terms, claims)
        let isFirst = machine.beginClosing()
        let isSecond = machine.beginClosing()
        #expect(isFirst && !isSecond)
        #expect(machine.isClosing)
        #expect(machine.receive(auth("t")) == .ignore)
        let late = machine.finishCheck(claims)
        #expect(late == .ignore)
        #expect(machine.look(at: Self.start + .seconds(99)) == nil)
    }
}
