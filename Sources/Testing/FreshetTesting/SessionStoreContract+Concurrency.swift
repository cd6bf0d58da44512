// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// Checks with several threads and instances that use a store at the same time.
extension SessionStoreContract {
    /// The minimum time for which threads compete, in seconds, unless a rule is broken earlier.
    private static let duration: Double = 0.5
    /// The minimum number of rounds for a slow store, regardless of time.
    private static let minimumRounds = 48

    /// Whether to continue after this many rounds.
    private static func shouldContinue(_ rounds: Int, since start: Date) -> Bool {
        rounds < minimumRounds || Date().timeIntervalSince(start) < duration
    }

    /// Checks concurrent replacements: each record is replaced once, and the replacements form one chain.
    static func checkReplacements(_ stores: [any SessionStore]) throws {
        struct Log {
            var wins: [(expected: Int, new: Int)] = []
            var last = 0
            var violation: Violation?
        }
        let log = Locked(Log()), start = Date()
        try stores[0].overwrite(with: record(0))
        SimultaneousThreads.run(stores + stores) { store in
            do {
                while let number = log.withLock({ log -> Int? in
                    guard log.violation == nil, shouldContinue(log.wins.count, since: start) else { return nil }
                    log.last += 1
                    return log.last
                }) {
                    guard let current = try store.read() else {
                        throw Violation(rule: .atomicReads, detail: "no record was read, though nothing removed it")
                    }
                    let win = (try Self.number(current), number)
                    guard try store.replace(current, with: record(number)) else { continue }
                    log.withLock { $0.wins.append(win) }
                    yieldTurn()
                }
            } catch { log.withLock { $0.violation = violation(by: error) } }
        }
        let found = log.withLock { $0 }
        if let violation = found.violation { throw violation }
        let next = Dictionary(found.wins.map { ($0.expected, $0.new) }) { first, _ in first }
        try expect(next.count == found.wins.count, .oneWinner, "two replacements of the same record succeeded")
        var end = 0, length = 0
        while let following = next[end], length < found.wins.count { (end, length) = (following, length + 1) }
        try expect(
            length == found.wins.count,
            .oneWinner,
            "a replacement succeeded whose expected record was not stored"
        )
        let last = try stores[0].read().map(Self.number)
        try expect(last == end, .oneWinner, "the last replacement that succeeded is not stored")
    }

    /// Checks an overwrite during replacements: its record must be stored at the end.
    ///
    /// The records are long, so that the store takes time between comparing and writing.
    static func checkOverwrites(_ stores: [any SessionStore]) throws {
        let start = Date(), team = SimultaneousThreads(stores.count), pace = Locked(0.0)
        defer { team.end() }
        let (first, last) = (try fullRecord(1), try fullRecord(2))
        let offers = try stores.indices.map { try fullRecord(3 + $0) }
        var rounds = 0
        while shouldContinue(rounds, since: start) {
            try stores[0].overwrite(with: first)
            let broken = Locked<Violation?>(nil)
            team.round { index in
                do {
                    guard index > 0 else {
                        // Waits until a random point of the other threads' replacement, which starts with a read.
                        usleep(UInt32(1e6 * .random(in: 0...1) * pace.withLock { min($0, 0.05) }))
                        return try stores[index].overwrite(with: last)
                    }
                    let begin = Date()
                    _ = try stores[index].replace(first, with: offers[index])
                    pace.withLock { $0 = max(0, Date().timeIntervalSince(begin)) }
                } catch { broken.withLock { $0 = violation(by: error) } }
            }
            if let violation = broken.withLock({ $0 }) { throw violation }
            let isThere = try isSame(stores[0].read(), last)
            try expect(isThere, .lastingOverwrite, "the record of the overwrite is not stored")
            rounds += 1
        }
    }

    /// Checks that readers see whole records while long records are written.
    static func checkReads(_ stores: [any SessionStore]) throws {
        struct Log {
            var isOver = false
            var violation: Violation?
        }
        let log = Locked(Log()), start = Date()
        let records = try [fullRecord(1), fullRecord(2, ended: .expired), record(3)]
        try stores[0].overwrite(with: records[0])
        SimultaneousThreads.run(Array(stores.indices)) { index in
            do {
                // Two threads write, the others read.
                if index < 2 {
                    var rounds = 0
                    while !log.withLock({ $0.isOver || $0.violation != nil }), shouldContinue(rounds, since: start) {
                        let next = records[(rounds + index) % records.count]
                        if index == 0 {
                            try stores[index].overwrite(with: next)
                        } else {
                            _ = try stores[index].replace(stores[index].read(), with: next)
                        }
                        rounds += 1
                        yieldTurn()
                    }
                    return log.withLock { $0.isOver = true }
                }
                while !log.withLock({ $0.isOver || $0.violation != nil }) {
                    let found = try stores[index].read()
                    guard try !records.contains(where: { try isSame($0, found) }) else { continue }
                    let detail = found == nil ? "no record was read" : "a record was read that was never written"
                    log.withLock { $0.violation = Violation(rule: .atomicReads, detail: detail) }
                }
            } catch { log.withLock { $0.violation = violation(by: error) } }
        }
        if let violation = log.withLock({ $0.violation }) { throw violation }
    }

    /// Lets other threads write: a thread that polls a lock never gets it from one that takes it again at once.
    private static func yieldTurn() { usleep(.random(in: 0...2_000)) }

    /// Returns the violation that an error means for a store under contention.
    private static func violation(by error: any Error) -> Violation {
        if let violation = error as? Violation { return violation }
        guard let fault = error as? SessionStoreError else {
            return Violation(rule: .noFaultUnderContention, detail: "a call failed: \(error)")
        }
        let rule: Rule = fault.kind == .damaged ? .atomicReads : .noFaultUnderContention
        return Violation(rule: rule, detail: "a call failed: \(fault.reason)")
    }
}
