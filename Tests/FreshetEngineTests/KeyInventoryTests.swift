// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import Testing

@testable import FreshetEngine

@Suite struct `Key inventory` {
    private typealias Record = KeyInventory.Record
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func inventory(
        _ records: [Record],
        _ own: [UInt8: [UInt8]],
        used: Set<UInt8>? = nil,
        chain: KeySchedule? = nil,
        areSupplied: Bool = false,
        sessionKeys: Set<UInt8> = []
    ) -> KeyInventory {
        KeyInventory(
            records,
            own: own,
            used: used ?? Set(own.keys),
            chain: chain,
            areSupplied: areSupplied,
            sessionKeys: sessionKeys
        )
    }

    private func record(_ id: UInt8, _ fingerprint: [UInt8]? = nil, isRetired: Bool = false) -> Record {
        Record(id: id, fingerprint: fingerprint, isRetired: isRetired)
    }

    @Test func `a key that the database records and the server does not have is missing`() {
        let found = inventory([record(2, [2]), record(1, [1])], [2: [2]])
        #expect(found.missing == [1] && found.different.isEmpty && !found.isComplete)
        #expect(inventory([record(1, [1])], [1: [1], 2: [2]], used: [1]).isComplete)
    }

    @Test func `a different key under a recorded number is detected, also if the number was retired`() {
        #expect(inventory([record(1, [1])], [1: [9]]).different == [1])
        #expect(inventory([record(1, [1], isRetired: true)], [1: [9]]).different == [1])
    }

    @Test func `a retired key is not missing`() {
        let found = inventory([record(1, [1], isRetired: true), record(2, [2])], [2: [2]])
        #expect(found.isComplete && found.retired == [1] && found.new.isEmpty)
    }

    @Test func `a retired key stays retired if its file is present again`() {
        let records = [record(1, [1], isRetired: true), record(2, [2])]
        let found = inventory(records, [1: [1], 2: [2]])
        #expect(found.isComplete && found.retired == [1] && found.new.isEmpty)
    }

    @Test func `a retired key that an operator supplies again is no longer retired`() {
        let records = [record(1, [1], isRetired: true), record(2, [2])]
        let found = inventory(records, [1: [1], 2: [2]], areSupplied: true)
        #expect(found.isComplete && found.retired.isEmpty && found.new == [1])
    }

    @Test func `keys are by default not supplied by an operator, so that a retired one stays retired`() {
        let records = [record(1, [1], isRetired: true), record(2, [2])]
        let found = KeyInventory(records, own: [1: [1], 2: [2]], used: [1, 2], chain: nil)
        #expect(found.retired == [1] && found.new.isEmpty)
    }

    @Test func `a key that was announced and removed before its use is not retired`() throws {
        var chain = try #require(KeySchedule(ids: [1], now: now))
        chain.follow([1, 2], using: nil, now: now, activationDelay: .seconds(900))
        chain.follow([1], using: nil, now: now + .seconds(60), activationDelay: .seconds(900))
        // Another server has begun to use it.
        let found = inventory([record(1, [1]), record(2, [2])], [1: [1]], chain: chain)
        #expect(found.retiredHere.isEmpty && found.missing == [2])
        // One that was in use is.
        chain.follow([1, 2], using: nil, now: now + .seconds(60), activationDelay: .zero)
        chain.follow([2], using: nil, now: now + .seconds(60), activationDelay: .zero)
        #expect(inventory([record(1, [1]), record(2, [2])], [2: [2]], chain: chain).retiredHere == [1])
    }

    @Test func `an older key record counts the assigned numbers without a key as retired`() throws {
        let text = #"{"members":[{"id":2,"addedAt":0}],"current":2,"currentSince":0,"lastID":3}"#
        let chain = try JSONDecoder().decode(KeySchedule.self, from: Data(text.utf8))
        #expect(chain.retiredIDs == [1, 3])
        #expect(try #require(KeySchedule(ids: [2], now: now)).retiredIDs.isEmpty)
    }

    @Test func `a database without key records finds missing keys by its sessions`() {
        #expect(inventory([], [:], sessionKeys: [1, 2]).missing == [1, 2])
        // A copy of the folder from before the second key.
        #expect(inventory([], [1: [1]], sessionKeys: [1, 2]).missing == [2])
        // It was retired before there were records.
        #expect(inventory([], [2: [2]], sessionKeys: [1, 2]).isComplete)
    }

    @Test func `the inventory takes over the retired keys of the folder's own record`() throws {
        var chain = try #require(KeySchedule(ids: [1, 2], now: now))
        try chain.retire(1) { _ in false }
        let found = inventory([record(1, [1]), record(2, [2]), record(3, [3])], [2: [2]], chain: chain)
        #expect(found.retiredHere == [1] && found.retired == [1])
        // It never knew the third.
        #expect(found.missing == [3])
    }

    @Test func `only keys that are or were used for tokens are reported as new to the database`() {
        #expect(inventory([], [1: [1], 2: [2]], used: [1]).new == [1])
        #expect(inventory([record(1, [1])], [1: [1], 2: [2]]).new == [2])
    }

    @Test func `absent numbers below the newest key count as retired when no key is recorded yet`() {
        let found = inventory([], [3: [3], 5: [5]])
        #expect(found.retiredBeforeRecords == [1, 2, 4] && found.retired == [1, 2, 4] && found.new == [3, 5])
        #expect(inventory([record(5, [5])], [5: [5]]).retiredBeforeRecords.isEmpty)
        #expect(inventory([], [2: [2]]).retiredBeforeRecords == [1])
        #expect(inventory([], [1: [1]]).retiredBeforeRecords.isEmpty)
        // One of them that is used all the same is a key like any other.
        #expect(inventory([record(1, nil, isRetired: true)], [1: [1]]).new == [1])
    }

    @Test func `a lost key is removed from the key schedule, and another key is used`() throws {
        let chain = try #require(KeySchedule(ids: [1, 2], now: now))
        #expect(chain.losing(2, now: now)?.current == 1)
        #expect(chain.losing(1, now: now)?.members.map(\.id) == [2])
        #expect(chain.losing(2, now: now)?.lastID == 2)
        #expect(KeySchedule(ids: [1], now: now)?.losing(1, now: now) == nil)
    }

    @Test func `an empty database beside used keys is lost, a different one is foreign, unless a new one is allowed`() {
        let (one, two) = (Bits128(1, 1), Bits128(2, 2))
        func marker(_ identity: Bits128?, _ marker: Bits128?, isEmpty: Bool = false, new: Bool = false)
            -> DatabaseIdentityCheck
        {
            DatabaseIdentityCheck(identity: identity, marker: marker, isEmpty: isEmpty, allowsNew: new)
        }
        #expect(marker(one, one, isEmpty: true) == .known(one))
        #expect(marker(one, nil) == .known(one))
        #expect(marker(one, two) == .foreign)
        #expect(marker(one, two, new: true) == .known(one))
        #expect(marker(nil, nil, isEmpty: true) == .unnamed(nil))
        #expect(marker(nil, nil) == .unnamed(nil))
        #expect(marker(nil, one, isEmpty: true) == .lost)
        #expect(marker(nil, one, isEmpty: true, new: true) == .unnamed(nil))
        // A copy from before databases had identities.
        #expect(marker(nil, one) == .unnamed(one))
    }
}
