// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Testing

@testable import FreshetEngine

@Suite struct `A session's row` {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let id = SessionID.random()
    private let user = UUID()

    private func row(
        contract: String? = "app",
        salt: Bits128 = Bits128(1, 2),
        device: Device = Device(name: "phone"),
        createdAt: Duration = .zero,
        absoluteExpiry: Duration = .seconds(900),
        place: String? = "192.0.2.7",
        method: String? = "password"
    ) -> SessionRow {
        SessionRow(
            id: id,
            user: user,
            contract: contract,
            salt: salt,
            rotation: RotationState(mode: .intent, keyID: 1, provedAt: now),
            device: device,
            createdAt: now + createdAt,
            lastUsedAt: now,
            idleExpiry: now + .seconds(600),
            absoluteExpiry: now + absoluteExpiry,
            place: place,
            method: method
        )
    }

    @Test func `rows with the same columns are equal, and those that differ in a fixed column are not`() {
        #expect(row() == row())
        let same = row()
        let copy = same
        #expect(same == copy)
        let others = [
            row(contract: nil), row(salt: Bits128(1, 3)), row(device: Device(name: "tablet")),
            row(createdAt: .seconds(-1)), row(absoluteExpiry: .seconds(901)), row(place: nil), row(method: nil),
        ]
        for other in others { #expect(other != row()) }
    }

    @Test func `a token shows a device until it is replaced, or until the session ends for a security reason`() {
        func token(_ generation: UInt64, branch: UInt64 = 0) -> RefreshToken {
            let body = RefreshTokenPayload(keyID: 1, session: id, generation: generation, branch: branch)
            return ServerSession.keys.token(body, salt: Bits128(1, 2))
        }
        var row = row()
        (row.rotation.current, row.rotation.branch) = (2, 1)
        let all = [token(1, branch: 1), token(2), token(2, branch: 1), token(3)]
        func shown(_ row: SessionRow, _ reset: Timestamp? = nil) -> [Bool] {
            all.map { row.showsDevice($0, devicesForgottenAt: reset) }
        }
        #expect(shown(row) == [false, false, true, true])
        // A session that goes on after the reset, or that ended later; the row expires after 600 s.
        #expect(shown(row, now + .seconds(599)) == [false, false, true, true])
        #expect(shown(row, now + .seconds(600)) == [false, false, false, false])
        row.ending = SessionRow.Ending(at: now, reason: .logout)
        #expect(shown(row) == [false, false, true, true])
        #expect(shown(row, now + .milliseconds(-1)) == [false, false, true, true])
        #expect(shown(row, now) == [false, false, false, false])
        row.ending = SessionRow.Ending(at: now, reason: .fork)
        #expect(shown(row) == [false, false, false, false])
        row.ending = nil
        row.rotation.mode = .other(9)
        #expect(shown(row) == [false, false, false, false])
    }

    @Test func `a change of a sign-in's place and method changes no other column and no copy of the row`() {
        let before = row(place: nil, method: nil)
        var after = before
        after.place = "192.0.2.7"
        after.method = "password"
        #expect(after == row())
        #expect(before == row(place: nil, method: nil))
    }

    @Test(arguments: [(900, 600), (600, 600), (300, 300)])
    func `a session that is not refreshed expires at the idle or the absolute expiry, whichever is earlier`(
        absolute: Int,
        end: Int
    ) {
        #expect(row(absoluteExpiry: .seconds(absolute)).end == now + .seconds(end))
    }

    @Test func `the times of a session in an unknown mode do not end it`() {
        var row = row()
        let late = row.absoluteExpiry + .seconds(1)
        #expect(row.endReason(at: late) == .absoluteTimeout)
        row.rotation.mode = .other(9)
        #expect(row.endReason(at: late) == nil)
        row.ending = SessionRow.Ending(at: late, reason: .logout)
        #expect(row.endReason(at: late) == .logout)
    }

    @Test func `lifetimes have their documented defaults`() {
        let lifetimes = Lifetimes()
        let values = [lifetimes.access, lifetimes.idle, lifetimes.absolute, lifetimes.code]
        #expect(values == [600, 2_592_000, 15_552_000, 600].map { .seconds($0) })
        #expect(AdmissionLimits.retryAfterSeconds == 1...4)
    }

    @Test func `a session can be refreshed if its access token outlasts neither of its other lifetimes`() {
        let cases = [
            (600, 600, 600, true), (600, 600, 900, true), (600, 900, 600, true),
            (601, 600, 600, false), (600, 599, 900, false), (600, 900, 599, false), (599, 600, 900, true),
        ]
        for (access, idle, absolute, canRefresh) in cases {
            var lifetimes = Lifetimes()
            lifetimes.access = .seconds(access)
            lifetimes.idle = .seconds(idle)
            lifetimes.absolute = .seconds(absolute)
            #expect(lifetimes.canRefresh == canRefresh, "\(access) \(idle) \(absolute)")
        }
    }

    @Test func `access claims have no client, and the epoch as the time of authentication, by default`() {
        let claims = AccessClaims(user: user, session: id, issuedAt: now, expiresAt: now + .seconds(600))
        #expect(claims.client == nil)
        #expect(claims.authenticatedAt == Timestamp(milliseconds: 0))
    }

    @Test func `the hash of an intent is restored from its sixteen bytes, and from no other number of bytes`() {
        let hash = IntentHash(.owner)
        let bytes = hash.bytes
        #expect(bytes.count == 16)
        #expect(IntentHash(bytes: bytes) == hash)
        #expect(IntentHash(bytes: bytes.dropLast()) == nil)
        #expect(IntentHash(bytes: bytes + [0]) == nil)
    }

    /// The current token may be made with an older key than the successor.
    @Test(arguments: [RotationState.Mode.intent, .plain])
    func `a successor is made with the key that is current when it is issued first, also when it is repeated`(
        mode: RotationState.Mode
    ) {
        var session = ServerSession(mode, contract: "app")
        let token = session.token(0)
        let intent: Intent? = mode == .intent ? .owner : nil
        for current: UInt8 in [2, 3] {
            session.keys = ServerSession.ring([1: 0x11, 2: 0x22, 3: 0x33], current: current)
            #expect(session.refresh(token, intent) == .served(successor(session), current == 2 ? .bound : .repeated))
            #expect(session.row.rotation.successorKeyID == 2)
        }
    }

    private func successor(_ session: ServerSession) -> RefreshToken {
        session.token(1, branch: session.row.rotation.mode == .plain ? 1 : 0, key: 2)
    }
}
