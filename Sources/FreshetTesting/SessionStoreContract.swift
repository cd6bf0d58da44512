// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
public import FreshetKit

/// What every ``SessionStore`` must keep to.
///
///     @Test func `my store keeps to the contract`() throws {
///         try SessionStoreContract.check { MyStore(service: UUID().uuidString) }
///     }
public enum SessionStoreContract {
    /// Says what a store did wrong.
    public struct Violation: Error, CustomStringConvertible {
        /// What went wrong.
        public let description: String
    }

    /// Runs the whole contract, with a new and empty store for each part.
    public static func check(_ makeStore: () throws -> any SessionStore) throws {
        try checkValues(makeStore())
        try checkComparison(makeStore())
        try checkOverwriting(makeStore())
        try checkContention(makeStore())
    }

    /// A record is read as it was written, and none as none.
    static func checkValues(_ store: any SessionStore) throws {
        try expect(!store.name.isEmpty, "a store has a name")
        try expect(try store.read() == nil, "a new store answers that nothing is there")
        let record = try record(1)
        try expect(try store.replace(nil, with: record), "a record can be put into an empty store")
        try expect(try store.read() == record, "a record is read as it was written")
        try expect(try store.replace(record, with: nil), "a record can be taken out")
        try expect(try store.read() == nil, "a record that was taken out is gone")
    }

    /// Somebody who has not seen what rests there changes nothing.
    static func checkComparison(_ store: any SessionStore) throws {
        let (first, second, third) = (try record(1), try record(2), try record(3))
        try expect(try !store.replace(first, with: second), "nothing is not a record that was expected")
        try expect(try store.replace(nil, with: first), "a record can be put into an empty store")
        try expect(try !store.replace(nil, with: second), "a record is not nothing")
        try expect(try !store.replace(second, with: third), "another record is not the one that was expected")
        try expect(try !store.replace(second, with: nil), "another record is not taken out either")
        try expect(try store.read() == first, "a refused replacement changes nothing")
        try expect(try store.replace(first, with: second), "the record that was expected is replaced")
        try expect(try store.read() == second, "a replacement is read")
    }

    /// An explicit wish wins over whatever rests there.
    static func checkOverwriting(_ store: any SessionStore) throws {
        let (first, second) = (try record(1), try record(2))
        try store.overwrite(with: first)
        try store.overwrite(with: second)
        try expect(try store.read() == second, "overwriting replaces any record")
        try store.overwrite(with: nil)
        try expect(try store.read() == nil, "overwriting with nothing leaves nothing")
        try store.overwrite(with: nil)
    }

    /// Of several who replace the same record at once, one wins.
    static func checkContention(_ store: any SessionStore) throws {
        let rounds = 8, rivals = 4
        var current: SessionRecord?
        for round in 0..<rounds {
            let offers = try (0..<rivals).map { try record(1 + round * rivals + $0) }
            let expected = current
            let winners = Locked<[SessionRecord]>([])
            let faults = Locked(0)
            DispatchQueue.concurrentPerform(iterations: rivals) { rival in
                do {
                    let offer = offers[rival]
                    if try store.replace(expected, with: offer) { winners.withLock { $0.append(offer) } }
                } catch { faults.withLock { $0 += 1 } }
            }
            let won = winners.withLock { $0 }
            try expect(faults.withLock { $0 } == 0, "rivals make nobody fail")
            try expect(won.count == 1, "of \(rivals) rivals one wins, not \(won.count)")
            current = won.first
            try expect(try store.read() == current, "the winner's record is read")
        }
    }

    static func expect(_ isTrue: Bool, _ rule: String) throws {
        guard isTrue else { throw Violation(description: "The store breaks a rule: \(rule).") }
    }

    /// Any record: the text is that of one with a sign-out the server has yet to hear of.
    package static func record(_ number: Int) throws -> SessionRecord {
        let logout = #"{"origin":"https://example.com:443","sessionID":"\#(number)","refreshToken":"none"}"#
        let text = #"{"version":1,"origin":"https://example.com:443","pendingLogouts":[\#(logout)]}"#
        return try SessionRecord(decoding: Data(text.utf8))
    }
}
