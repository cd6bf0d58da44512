// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire
import Testing

@testable import FreshetEngine

@Suite struct `Forged refresh tokens` {
    let session = ServerSession(.intent)

    private func answer(_ token: RefreshToken, _ keys: TokenKeyRing? = nil) -> RotationDecision {
        session.policy.refresh(session.row, token: token, intent: .owner, now: session.now, keys: keys ?? session.keys)
    }

    @Test(arguments: 0..<32) func `a token with one flipped bit in its MAC is refused and changes no state`(index: Int)
    {
        let genuine = session.token(0)
        var mac = genuine.mac
        mac[index] ^= 1
        #expect(answer(RefreshToken(body: genuine.body, mac: mac)) == RotationDecision(.refused(.forged)))
    }

    @Test func `a token with a changed generation or branch is refused and changes no state`() {
        let genuine = session.token(0)
        for change in [{ $0.generation = 1 }, { $0.branch = 1 }, { $0.generation = .max }]
            as [(inout RefreshTokenPayload) -> Void]
        {
            var body = genuine.body
            change(&body)
            #expect(answer(RefreshToken(body: body, mac: genuine.mac)) == RotationDecision(.refused(.forged)))
        }
    }

    @Test func `a token with a MAC from another salt is refused and changes no state`() {
        let body = session.token(0).body
        let other = session.keys.token(body, salt: Bits128(0, 0))
        #expect(answer(other) == RotationDecision(.refused(.forged)))
    }

    @Test func `a token of another session is refused and changes no state`() {
        let other = ServerSession(.intent)
        #expect(answer(other.token(0)) == RotationDecision(.refused(.forged)))
    }

    @Test func `a token with a MAC of the wrong length is refused and changes no state`() {
        let genuine = session.token(0)
        for length in [0, 1, 31] {
            let cut = RefreshToken(body: genuine.body, mac: Array(genuine.mac.prefix(length)))
            #expect(answer(cut) == RotationDecision(.refused(.forged)))
        }
    }

    @Test func `a token is refused as forged for a retired key, and as unverifiable for a missing key`() {
        let keys = ServerSession.ring([3: 0x33, 5: 0x55], current: 5, retired: [1, 4])
        var body = session.token(0).body
        for id in UInt8.min...UInt8.max where id != 3 && id != 5 {
            body.keyID = id
            let refusal: RotationOutcome.Refusal = [1, 4].contains(id) ? .forged : .keyUnavailable
            let decision = answer(RefreshToken(body: body, mac: session.token(0).mac), keys)
            #expect(decision == RotationDecision(.refused(refusal)), "\(id)")
        }
        // A key that is here counts, whatever else is said of it.
        body.keyID = 3
        #expect(answer(keys.token(body, salt: session.row.salt), keys).row != nil)
    }

    @Test func `confirm, report and logout refuse a forged token`() {
        var body = session.token(0).body
        body.generation = 3
        let forged = RefreshToken(body: body, mac: session.token(0).mac)
        let refused = RotationDecision(.refused(.forged))
        #expect(session.policy.confirm(session.row, token: forged, now: session.now, keys: session.keys) == refused)
        #expect(session.policy.report(session.row, token: forged, now: session.now, keys: session.keys) == refused)
        #expect(session.policy.logout(session.row, token: forged, now: session.now, keys: session.keys) == refused)
    }

    @Test func `the refusal of a forged token does not reveal how the session ended`() {
        var session = session
        let forged = RefreshToken(body: session.token(0).body, mac: [UInt8](repeating: 0, count: 32))
        _ = session.logout(session.token(0))
        #expect(session.refresh(forged, .owner) == .refused(.forged))
    }
}

@Suite struct `Key rotation` {
    @Test func `a repeated refresh returns the same token after the key ring has changed`() {
        var session = ServerSession(.intent)
        let old = session.token(0)
        guard case .served(let first, .bound) = session.refresh(old, .owner) else {
            Issue.record("not served")
            return
        }
        session.keys = ServerSession.ring([1: 0x11, 2: 0x22], current: 2)

        #expect(session.refresh(old, .owner) == .served(first, .repeated))
        guard case .served(let second, .proved) = session.refresh(first, .owner) else {
            Issue.record("not served")
            return
        }
        #expect(second.body.keyID == 2)
        #expect(session.keys.verdict(on: second, salt: session.row.salt) == .genuine)
    }

    @Test func `a successor token whose key was retired is issued under the current key`() {
        var session = ServerSession(.intent)
        _ = session.refresh(session.token(0), .owner)
        session.keys = ServerSession.ring([2: 0x22], current: 2)
        let successor = session.keys.token(
            RefreshTokenPayload(keyID: 1, session: session.row.id, generation: 1),
            salt: session.row.salt
        )
        #expect(successor.body.keyID == 2)
    }

    @Test func `a key ring requires its current key and keys as long as the MAC`() {
        #expect(TokenKeyRing(keys: [1: SymmetricKey(size: .bits256)], currentID: 2) == nil)
        #expect(TokenKeyRing(keys: [1: SymmetricKey(size: .bits128)], currentID: 1) == nil)
    }
}
