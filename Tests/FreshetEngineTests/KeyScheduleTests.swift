// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@Suite struct `A chain of keys` {
    private let start = Timestamp(milliseconds: 1_800_000_000_000)
    private let activationDelay = Duration.seconds(900)

    private func chain(_ ids: UInt8...) throws -> KeySchedule { try #require(KeySchedule(ids: ids, now: start)) }

    @Test func `begins with the highest number in use`() throws {
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

    @Test func `uses no key that is too new, unknown, or was used before`() throws {
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

    @Test func `lets no key go that is in use, about to be, the last, or needed`() throws {
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

    @Test func `is due for the next key at its age, and not while one is on its way`() throws {
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

    @Test func `has numbers from 1 to 255`() throws {
        var chain = try chain(255)
        #expect(throws: KeySchedule.Refusal.exhausted) { try chain.add(now: start) }
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

    @Test func `publishes a new key and uses it when its time has come, also if it is asked for at once`() throws {
        for wanted in [nil, 2] as [UInt8?] {
            var chain = try chain(1)
            chain.follow([1, 2], using: wanted, now: start + .seconds(10), activationDelay: activationDelay)
            #expect(chain.members.map(\.id) == [1, 2])
            #expect(chain.advanced(to: start + .seconds(909)).current == 1)
            #expect(chain.advanced(to: start + .seconds(910)).current == 2)
        }
    }

    @Test func `uses the key that is named, and goes back to one that was used before`() throws {
        var chain = try chain(1, 2)
        chain.follow([1, 2], using: 1, now: start + activationDelay, activationDelay: activationDelay)
        #expect(chain.current == 1)
        #expect(chain.members.map { $0.supersededAt == nil } == [true, false])
        chain.follow([1, 2, 3], using: 1, now: start + activationDelay, activationDelay: activationDelay)
        #expect(chain.current == 1 && chain.promotion == nil)
    }

    @Test func `lets go at once of what is taken away, and uses what is left`() throws {
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

    @Test func `serves a server that has older keys, or more, as far as its keys go`() throws {
        var chain = try chain(1)
        chain.follow([1, 2], using: nil, now: start, activationDelay: activationDelay)
        let late = chain.advanced(to: start + activationDelay)
        #expect(late.current == 2)
        #expect(late.limited(to: [1]).current == 1)
        #expect(late.limited(to: [1, 2, 3]).members.map(\.id) == [1, 2, 3])
        #expect(late.limited(to: [1, 2, 3]).current == 2)
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
}
