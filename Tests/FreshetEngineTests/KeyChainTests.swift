// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import Testing

@Suite struct `A chain of keys` {
    private let start = Timestamp(milliseconds: 1_800_000_000_000)
    private let lead = Duration.seconds(900)

    private func chain(_ ids: UInt8...) throws -> KeyChain { try #require(KeyChain(ids: ids, now: start)) }

    @Test func `begins with the highest number in use`() throws {
        let chain = try chain(1, 3, 2)
        #expect(chain.current == 3)
        #expect(chain.members.map(\.id) == [1, 2, 3])
        #expect(chain.members.map { $0.supersededAt == nil } == [false, false, true])
        #expect(KeyChain(ids: [], now: start) == nil)
    }

    @Test func `publishes a new key first, and uses it when its time has come, without anybody's help`() throws {
        var chain = try chain(1)
        #expect(try chain.rotate(now: start, lead: lead) == 2)
        let early = chain.advanced(to: start + .seconds(899))
        #expect(early.current == 1)
        #expect(early.members.map(\.id) == [1, 2])
        let late = chain.advanced(to: start + .seconds(5000))
        #expect(late.current == 2)
        // Since it was planned, and not since somebody looked.
        #expect(late.currentSince == (start + lead).milliseconds)
        #expect(late.members[0].supersededAt == (start + lead).milliseconds)
        #expect(late.promotion == nil)
        #expect(throws: KeyChain.Refusal.underWay) { try chain.rotate(now: start, lead: lead) }
    }

    @Test func `uses no key that is too new, unknown, or was used before`() throws {
        var chain = try chain(1)
        let id = try chain.add(now: start)
        #expect(throws: KeyChain.Refusal.tooNew) { try chain.promote(id, now: start + .seconds(899), lead: lead) }
        #expect(throws: KeyChain.Refusal.unknown) { try chain.promote(9, now: start, lead: .zero) }
        try chain.promote(id, now: start + lead, lead: lead)
        #expect(chain.current == 2)
        #expect(throws: KeyChain.Refusal.overtaken) { try chain.promote(1, now: start + lead, lead: .zero) }
    }

    @Test func `lets no key go that is in use, about to be, the last, or needed`() throws {
        var chain = try chain(1)
        #expect(throws: KeyChain.Refusal.inUse) { try chain.retire(1) { _ in false } }
        _ = try chain.rotate(now: start, lead: lead)
        #expect(throws: KeyChain.Refusal.inUse) { try chain.retire(2) { _ in false } }
        chain = chain.advanced(to: start + lead)
        #expect(throws: KeyChain.Refusal.unknown) { try chain.retire(7) { _ in false } }
        #expect(throws: KeyChain.Refusal.needed) {
            try chain.retire(1) { moment in moment == start + lead }
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
        _ = try chain.rotate(now: start + month, lead: lead)
        #expect(!chain.isDue(now: start + month, interval: month))
        chain = chain.advanced(to: start + month + lead)
        #expect(!chain.isDue(now: start + month + month, interval: month))
        #expect(chain.isDue(now: start + month + lead + month, interval: month))
        _ = try chain.add(now: start)
        #expect(!chain.isDue(now: start + month + lead + month, interval: month))
    }

    @Test func `has numbers from 1 to 255`() throws {
        var chain = try chain(255)
        #expect(throws: KeyChain.Refusal.exhausted) { try chain.add(now: start) }
    }
}

@Suite struct `A chain of keys that an operator gives` {
    private let start = Timestamp(milliseconds: 1_800_000_000_000)
    private let lead = Duration.seconds(900)

    private func chain(_ ids: UInt8...) throws -> KeyChain {
        var chain = try #require(KeyChain(ids: ids, now: start))
        chain.follow(Set(ids), using: nil, now: start, lead: lead)
        return chain
    }

    @Test func `publishes a new key and uses it when its time has come, also if it is asked for at once`() throws {
        for wanted in [nil, 2] as [UInt8?] {
            var chain = try chain(1)
            chain.follow([1, 2], using: wanted, now: start + .seconds(10), lead: lead)
            #expect(chain.members.map(\.id) == [1, 2])
            #expect(chain.advanced(to: start + .seconds(909)).current == 1)
            #expect(chain.advanced(to: start + .seconds(910)).current == 2)
        }
    }

    @Test func `uses the key that is named, and goes back to one that was used before`() throws {
        var chain = try chain(1, 2)
        chain.follow([1, 2], using: 1, now: start + lead, lead: lead)
        #expect(chain.current == 1)
        #expect(chain.members.map { $0.supersededAt == nil } == [true, false])
        chain.follow([1, 2, 3], using: 1, now: start + lead, lead: lead)
        #expect(chain.current == 1 && chain.promotion == nil)
    }

    @Test func `lets go at once of what is taken away, and uses what is left`() throws {
        var chain = try chain(1)
        chain.follow([1, 2], using: nil, now: start, lead: lead)
        chain.follow([2], using: nil, now: start + .seconds(1), lead: lead)
        #expect(chain.current == 2 && chain.promotion == nil)
        #expect(chain.members.map(\.id) == [2])
        // And what is taken away before its use is not used.
        chain.follow([2, 3], using: nil, now: start + .seconds(2), lead: lead)
        chain.follow([2], using: nil, now: start + .seconds(3), lead: lead)
        #expect(chain.advanced(to: start + .seconds(9999)).current == 2)
    }

    @Test func `serves a server that has older keys, or more, as far as its keys go`() throws {
        var chain = try chain(1)
        chain.follow([1, 2], using: nil, now: start, lead: lead)
        let late = chain.advanced(to: start + lead)
        #expect(late.current == 2)
        #expect(late.limited(to: [1]).current == 1)
        #expect(late.limited(to: [1, 2, 3]).members.map(\.id) == [1, 2, 3])
        #expect(late.limited(to: [1, 2, 3]).current == 2)
    }
}
