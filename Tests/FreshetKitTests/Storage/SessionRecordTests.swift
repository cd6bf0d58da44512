// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Testing

@testable import FreshetKit

@Suite struct `Session record` {
    let record = Fixtures.record(Fixtures.stored(3, intent: "i"))

    @Test func `it is read as it was written`() throws {
        let again = try SessionRecord(decoding: record.encoded())
        #expect(again == record)
        #expect(again.session == Fixtures.stored(3, intent: "i"))
    }

    @Test func `no part of it is taken for the whole`() throws {
        let bytes = try record.encoded()
        for length in 0..<bytes.count {
            #expect(throws: StoreUnavailable.self) { try SessionRecord(decoding: bytes.prefix(length)) }
        }
    }

    @Test(arguments: ["", "{}", "[]", "null", "x", #"{"version":2,"origin":"x","pendingLogouts":[]}"#])
    func `what is no record, or a later one, is damaged and not absent`(text: String) {
        #expect { try SessionRecord(decoding: Data(text.utf8)) } throws: { error in
            (error as? StoreUnavailable)?.kind == .damaged
        }
    }

    @Test func `a sign-out keeps only what the server has to be told`() throws {
        let ended = record.ending(.requested, owing: .refreshToken)
        #expect(ended.session == nil)
        let logout = try #require(ended.pendingLogouts.first)
        #expect(logout.refreshToken == Fixtures.refreshToken(3) && logout.origin == Fixtures.origin)
        let text = try String(decoding: ended.encoded(), as: UTF8.self)
        #expect(!text.contains("access-3") && !text.contains("ada@"))
        #expect(ended.delivered(logout) == nil)
    }

    @Test func `a later sign-in does not lose a pending sign-out`() throws {
        let again = record.ending(.requested, owing: .refreshToken)
            .signingIn(Fixtures.stored(0, id: Fixtures.otherSession), origin: Fixtures.origin, owing: .refreshToken)
        let logout = try #require(again.pendingLogouts.first)
        #expect(again.ended == nil)
        #expect(again.delivered(logout)?.session?.id == Fixtures.otherSession?.description)
        #expect(again.delivered(logout)?.pendingLogouts == [])
    }

    @Test func `a sign-in over a session ends that one, and a repeated sign-in does not end itself`() {
        let other = record.signingIn(
            Fixtures.stored(0, id: Fixtures.otherSession),
            origin: Fixtures.origin,
            owing: .refreshToken
        )
        #expect(other.pendingLogouts.map(\.sessionID) == [Fixtures.stored(3).id])
        let same = record.signingIn(Fixtures.stored(0), origin: Fixtures.origin, owing: .refreshToken)
        #expect(same.pendingLogouts.isEmpty)
    }

    @Test func `why the server ended a session is kept for the user`() throws {
        let ended = record.ending(.fork, owing: .none)
        #expect(try SessionRecord(decoding: ended.encoded()).ended == .fork)
    }

    @Test func `pending sign-outs are bounded`() {
        var record = record
        for generation in 0..<100 {
            record = record.owing(Fixtures.stored(1, id: .random()), at: "https://\(generation)", .refreshToken)
        }
        #expect(record.pendingLogouts.count == SessionRecord.maximumPendingLogouts)
        #expect(record.pendingLogouts.last?.origin == "https://99")
    }
}
