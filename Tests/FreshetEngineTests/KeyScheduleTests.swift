// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import Testing

@Suite struct `A chain of keys` {
    private let start = Timestamp(milliseconds: 1_800_000_000_000)
    private let activationDelay = Duration.seconds(900)

    private func chain(_ ids: UInt8...) throws -> KeySchedule { try #require(KeySchedule(ids: ids, now: start)) }

    @Test func `a new key schedule uses the key with the highest number`() throws {
        let chain = try chain(1, 3, 2)
        #expect(chain.current == 3)
        #expect(chain.members.map(\.id) == [1, 2, 3])
        #expect(chain.members.map { $0.supersededAt == nil } == [false, false, true])
        #expect(KeySchedule(ids: [], now: start) == nil)
    }

    @Test func `a new key is published first and activated later without an operator`() throws {
        var chain = try chain(1)
        #expect(try chain.rotate(now: start, activationDelay: activationDelay) == 2)
        let early = chain.advanced(to: start + .seconds(899))
        #expect(early.current == 1)
        #expect(early.members.map(\.id) == [1, 2])
        let late = chain.advanced(to: start + .seconds(5000))
        #expect(late.current == 2)
        // Since it was planned, and not since somebody looked.
        #expect(late.currentSince == (start + activationDelay).milliseconds)
        #expect(late.members[0].supersededAt == (start + activationDelay).milliseconds)
        #expect(late.promotion == nil)
        #expect(throws: KeySchedule.Refusal.underWay) { try chain.rotate(now: start, activationDelay: activationDelay) }
    }

    @Test func `the promotion of a key that is too new, unknown or superseded is refused`() throws {
        var chain = try chain(1)
        let id = try chain.add(now: start)
        #expect(throws: KeySchedule.Refusal.tooNew) {
            try chain.promote(id, now: start + .seconds(899), activationDelay: activationDelay)
        }
        #expect(throws: KeySchedule.Refusal.unknown) { try chain.promote(9, now: start, activationDelay: .zero) }
        try chain.promote(id, now: start + activationDelay, activationDelay: activationDelay)
        #expect(chain.current == 2)
        #expect(throws: KeySchedule.Refusal.overtaken) {
            try chain.promote(1, now: start + activationDelay, activationDelay: .zero)
        }
    }

    @Test func `a key that is promoted now takes the place of a planned one, which can be retired`() throws {
        var chain = try chain(1)
        let planned = try chain.rotate(now: start, activationDelay: activationDelay)
        let chosen = try chain.add(now: start)
        try chain.promote(chosen, now: start, activationDelay: .zero)
        #expect(chain.promotion == nil)
        chain = chain.advanced(to: start + activationDelay + activationDelay)
        #expect(chain.current == chosen)
        try chain.retire(planned) { _ in true }
        #expect(chain.members.map(\.id) == [1, chosen])
    }

    @Test func `a key that is in use, planned, unknown or needed is not retired, and numbers are not reused`() throws {
        var chain = try chain(1)
        #expect(throws: KeySchedule.Refusal.inUse) { try chain.retire(1) { _ in false } }
        _ = try chain.rotate(now: start, activationDelay: activationDelay)
        #expect(throws: KeySchedule.Refusal.inUse) { try chain.retire(2) { _ in false } }
        chain = chain.advanced(to: start + activationDelay)
        #expect(throws: KeySchedule.Refusal.unknown) { try chain.retire(7) { _ in false } }
        #expect(throws: KeySchedule.Refusal.needed) {
            try chain.retire(1) { moment in moment == start + activationDelay }
        }
        try chain.retire(1) { _ in false }
        #expect(chain.members.map(\.id) == [2])
        // Its number never comes back.
        #expect(try chain.add(now: start) == 3)
        try chain.retire(3) { _ in true }
        #expect(try chain.add(now: start) == 4)
    }

    @Test func `a key rotation is due when the current key reaches its age, unless a newer key exists`() throws {
        var chain = try chain(1)
        let month = Duration.seconds(30 * 86_400)
        #expect(!chain.isDue(now: start + .seconds(86_400), interval: month))
        #expect(chain.isDue(now: start + month, interval: month))
        _ = try chain.rotate(now: start + month, activationDelay: activationDelay)
        #expect(!chain.isDue(now: start + month, interval: month))
        chain = chain.advanced(to: start + month + activationDelay)
        #expect(!chain.isDue(now: start + month + month, interval: month))
        #expect(chain.isDue(now: start + month + activationDelay + month, interval: month))
        _ = try chain.add(now: start)
        #expect(!chain.isDue(now: start + month + activationDelay + month, interval: month))
    }

    @Test func `the addition of a key after number 255 is refused`() throws {
        var chain = try chain(255)
        #expect(throws: KeySchedule.Refusal.exhausted) { try chain.add(now: start) }
    }

    @Test func `a new schedule uses the named key, or the highest one if the named one does not exist`() throws {
        let named = try #require(KeySchedule(ids: [1, 2, 3], using: 2, now: start))
        #expect(named.current == 2 && named.lastID == 3)
        #expect(named.members.map { $0.supersededAt == nil } == [false, true, true])
        #expect(KeySchedule(ids: [1, 2, 3], using: 9, now: start)?.current == 3)
    }

    @Test func `promoting the key in use changes nothing`() throws {
        var chain = try chain(1, 2)
        #expect(try chain.rotate(now: start, activationDelay: activationDelay) == 3)
        let before = chain
        for delay in [Duration.zero, activationDelay] {
            try chain.promote(2, now: start + .seconds(60), activationDelay: delay)
            #expect(chain == before)
        }
    }

    @Test func `a key that is in use, or the only one, is not retired`() throws {
        var chain = try chain(1, 2)
        #expect(throws: KeySchedule.Refusal.inUse) { try chain.retire(2) { _ in false } }
        #expect(chain.members.map(\.id) == [1, 2])
        // A damaged record, whose key in use is missing.
        var damaged = try decoded(#"{"members":[{"id":2,"addedAt":0}],"current":1,"currentSince":0,"lastID":2}"#)
        #expect(throws: KeySchedule.Refusal.inUse) { try damaged.retire(2) { _ in false } }
    }

    @Test(
        arguments: [
            (#"{"members":[],"current":0,"currentSince":0,"lastID":0}"#, []),
            (#"{"members":[],"current":1,"currentSince":0,"lastID":1}"#, [1]),
            (#"{"members":[{"id":2,"addedAt":0}],"current":2,"currentSince":0,"lastID":3}"#, [1, 3]),
        ] as [(String, Set<UInt8>)]
    )
    func `an older record has each assigned number without a key as a retired one`(record: String, retired: Set<UInt8>)
        throws
    {
        #expect(try decoded(record).retiredIDs == retired)
    }

    @Test func `the loss of a key cancels its planned use, and no other change`() throws {
        var chain = try chain(1, 2)
        #expect(try chain.rotate(now: start, activationDelay: activationDelay) == 3)
        let later = start + .seconds(60)
        let lostOld = try #require(chain.losing(1, now: later))
        #expect(lostOld.current == 2 && lostOld.currentSince == start.milliseconds && lostOld.promotion?.id == 3)
        let lostNext = try #require(chain.losing(3, now: later))
        #expect(lostNext.current == 2 && lostNext.currentSince == start.milliseconds && lostNext.promotion == nil)
        let lostCurrent = try #require(chain.losing(2, now: later))
        #expect(lostCurrent.current == 3 && lostCurrent.currentSince == later.milliseconds)
        #expect(lostCurrent.promotion == nil)
        // The newest key is used until the planned change.
        #expect(try chain.add(now: start) == 4)
        let replaced = try #require(chain.losing(2, now: later))
        #expect(replaced.current == 4 && replaced.promotion?.id == 3)
    }

    private func decoded(_ record: String) throws -> KeySchedule {
        try JSONDecoder().decode(KeySchedule.self, from: Data(record.utf8))
    }
}

@Suite struct `A chain of keys that an operator gives` {
    private let start = Timestamp(milliseconds: 1_800_000_000_000)
    private let activationDelay = Duration.seconds(900)

    private func chain(_ ids: UInt8...) throws -> KeySchedule {
        var chain = try #require(KeySchedule(ids: ids, now: start))
        chain.follow(Set(ids), using: nil, now: start, activationDelay: activationDelay)
        return chain
    }

    @Test func `a new supplied key is published immediately and used after the delay, even if it is named`() throws {
        for wanted in [nil, 2] as [UInt8?] {
            var chain = try chain(1)
            chain.follow([1, 2], using: wanted, now: start + .seconds(10), activationDelay: activationDelay)
            #expect(chain.members.map(\.id) == [1, 2])
            #expect(chain.advanced(to: start + .seconds(909)).current == 1)
            #expect(chain.advanced(to: start + .seconds(910)).current == 2)
        }
    }

    @Test func `a schedule uses the named supplied key, even one that was superseded`() throws {
        var chain = try chain(1, 2)
        chain.follow([1, 2], using: 1, now: start + activationDelay, activationDelay: activationDelay)
        #expect(chain.current == 1)
        #expect(chain.members.map { $0.supersededAt == nil } == [true, false])
        chain.follow([1, 2, 3], using: 1, now: start + activationDelay, activationDelay: activationDelay)
        #expect(chain.current == 1 && chain.promotion == nil)
    }

    @Test func `a key that is no longer supplied is removed immediately, and a remaining key is used`() throws {
        var chain = try chain(1)
        chain.follow([1, 2], using: nil, now: start, activationDelay: activationDelay)
        chain.follow([2], using: nil, now: start + .seconds(1), activationDelay: activationDelay)
        #expect(chain.current == 2 && chain.promotion == nil)
        #expect(chain.members.map(\.id) == [2])
        // And what is taken away before its use is not used.
        chain.follow([2, 3], using: nil, now: start + .seconds(2), activationDelay: activationDelay)
        chain.follow([2], using: nil, now: start + .seconds(3), activationDelay: activationDelay)
        #expect(chain.advanced(to: start + .seconds(9999)).current == 2)
    }

    @Test func `a schedule limited to a server's keys uses one of them and accepts additional keys`() throws {
        var chain = try chain(1)
        chain.follow([1, 2], using: nil, now: start, activationDelay: activationDelay)
        let late = chain.advanced(to: start + activationDelay)
        #expect(late.current == 2)
        #expect(late.limited(to: [1]).current == 1)
        #expect(late.limited(to: [1, 2, 3]).members.map(\.id) == [1, 2, 3])
        #expect(late.limited(to: [1, 2, 3]).current == 2)
    }

    @Test func `supplied keys are recorded as such until they are files again`() throws {
        var chain = try #require(KeySchedule(ids: [1], now: start))
        #expect(chain.isSupplied == nil)
        chain.follow([1], using: nil, now: start, activationDelay: activationDelay)
        #expect(chain.isSupplied == true)
        chain.takeBack()
        #expect(chain.isSupplied == nil)
    }

    @Test func `a planned change that is due is applied before the supplied keys are`() throws {
        var chain = try chain(1)
        chain.follow([1, 2], using: nil, now: start, activationDelay: activationDelay)
        let late = start + .seconds(1000)
        var back = chain
        back.follow([1, 2], using: 1, now: late, activationDelay: activationDelay)
        #expect(back.current == 1 && back.currentSince == late.milliseconds)
        #expect(back.members.map(\.supersededAt) == [nil, late.milliseconds])
        // The second key was used, so that its number is not free.
        chain.follow([1], using: nil, now: late, activationDelay: activationDelay)
        #expect(chain.current == 1 && chain.retiredIDs == [2])
    }

    @Test func `a retired key that is supplied again is not retired`() throws {
        var chain = try chain(1, 2)
        chain.follow([2], using: nil, now: start, activationDelay: activationDelay)
        #expect(chain.retiredIDs == [1])
        chain.follow([1, 2], using: nil, now: start, activationDelay: activationDelay)
        #expect(chain.retiredIDs.isEmpty)
    }

    @Test func `the number after the highest one that was ever supplied is the next`() throws {
        var chain = try chain(1)
        for ids in [[1, 5], [1]] as [Set<UInt8>] {
            chain.follow(ids, using: nil, now: start, activationDelay: activationDelay)
            #expect(chain.lastID == 5)
        }
        #expect(try chain.nextID() == 6)
    }

    @Test func `the highest key is the next one if the named one is not supplied`() throws {
        var chain = try chain(1)
        chain.follow([1, 2], using: 9, now: start, activationDelay: activationDelay)
        #expect(chain.promotion?.id == 2)
    }

    @Test func `the same keys supplied again change nothing, even with another delay`() throws {
        var chain = try chain(1)
        for ids in [[1], [1, 2]] as [Set<UInt8>] {
            chain.follow(ids, using: nil, now: start, activationDelay: activationDelay)
            #expect(chain.promotion?.id == (ids == [1] ? nil : 2))
            let before = chain
            chain.follow(ids, using: nil, now: start + .seconds(10), activationDelay: .seconds(1800))
            #expect(chain == before)
        }
    }

    @Test func `the loss of the key in use cancels a planned change to another key than the one used instead`() throws {
        for ids in [[2, 3], [3]] as [Set<UInt8>] {
            var chain = try chain(1)
            chain.follow([1, 2], using: nil, now: start, activationDelay: activationDelay)
            chain.follow(ids, using: 3, now: start + .seconds(10), activationDelay: activationDelay)
            #expect(chain.current == 3 && chain.promotion == nil)
            let late = chain.advanced(to: start + .seconds(9999))
            #expect(late.current == 3 && late.members.last?.supersededAt == nil)
        }
    }

    @Test func `a server without the key in use takes the last one that was used, not an announced one`() throws {
        var chain = try chain(1)
        chain.follow([1, 2], using: nil, now: start, activationDelay: activationDelay)
        chain.follow([1, 2, 3], using: nil, now: start + .seconds(1000), activationDelay: activationDelay)
        #expect(chain.current == 2)
        let limited = chain.limited(to: [1, 3])
        #expect(limited.current == 1 && limited.members.map(\.id) == [1, 3])
        #expect(chain.limited(to: [3]).current == 3)
    }
}
