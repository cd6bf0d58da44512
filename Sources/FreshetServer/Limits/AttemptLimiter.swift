// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetEngine
import FreshetWire
import NIOConcurrencyHelpers

/// Counts tries, and keeps the counts over a restart.
///
/// It forgets keys whose budget is full again, so strangers cannot fill the memory for longer than the budget's time.
final class AttemptLimiter: Sendable {
    private struct State: Sendable {
        var accounts: [String: AttemptBudget.Account]
        /// What was taken by key, and is not in the database yet.
        var unwritten: [String: Duration] = [:]
        var isWriting = false
        var writes = 0
    }

    private let database: any ServerDatabase
    private let clock: ServerClock?
    private let state: NIOLockedValueBox<State>
    private static let sweepAbove = 10_000
    /// Above this, those that would be forgotten soonest are forgotten now.
    private static let maximumKeys = 200_000
    /// The database is swept with every so many writes.
    private static let sweepEvery = 64

    /// - Parameters:
    ///   - database: Where counts are kept.
    ///   - now: The server's time; what is full again by then is forgotten.
    /// - Throws: Whatever the database says.
    init(_ database: any ServerDatabase, now: Timestamp) throws {
        self.database = database
        clock = nil
        let kept = try database.readNow { try AttemptBudgetTable.all(at: now, in: $0) }
        state = NIOLockedValueBox(State(accounts: kept))
    }

    /// As ``init(_:now:)``; nothing is written while the clock is not trusted.
    init(_ database: any ServerDatabase, clock: ServerClock) throws {
        self.database = database
        self.clock = clock
        let now = clock.reading().earliest
        let kept = try database.readNow { try AttemptBudgetTable.all(at: now, in: $0) }
        state = NIOLockedValueBox(State(accounts: kept))
    }

    /// Takes one try from each budget, or from none.
    ///
    /// - Throws: `tooManyRequests`, with the time to wait, if one has none left.
    func take(_ claims: [AttemptClaim], now: Timestamp) throws(APIError) {
        // Keys name addresses; the table and this memory have no need to.
        let claims = claims.map { AttemptClaim(Self.digest($0.key), $0.budget) }
        let (wait, mustWrite) = state.withLockedValue { state in
            Self.sweep(&state.accounts, now)
            let wait = AttemptClaim.take(claims, from: &state.accounts, now: now)
            guard wait == nil, !claims.isEmpty else { return (wait, false) }
            for claim in claims { state.unwritten[claim.key, default: .zero] += claim.budget.interval }
            // What is not written yet is written with the first try after the clock is trusted again.
            guard clock?.isTrusted ?? true else { return (nil, false) }
            defer { state.isWriting = true }
            return (nil, !state.isWriting)
        }
        if mustWrite { write(now) }
        if let wait { throw APIError(.tooManyRequests, "too many tries; wait", retryAfter: wait) }
    }

    private static func sweep(_ accounts: inout [String: AttemptBudget.Account], _ now: Timestamp) {
        guard accounts.count > sweepAbove else { return }
        accounts = accounts.filter { $0.value.fullAt > now }
        guard accounts.count > maximumKeys else { return }
        let soonest = accounts.sorted { $0.value.fullAt < $1.value.fullAt }.prefix(maximumKeys / 4)
        for (key, _) in soonest { accounts[key] = nil }
    }

    /// Writes with the next batch what has changed until then; a crash loses that much and no more.
    private func write(_ now: Timestamp) {
        database.soon { [state] database in
            let (changed, mustSweep) = state.withLockedValue { state in
                // In one order everywhere: two servers that wait for each other's rows would wait for ever.
                let changed = state.unwritten.sorted { $0.key < $1.key }
                state.unwritten = [:]
                state.isWriting = false
                state.writes += 1
                return (changed, state.writes % Self.sweepEvery == 1)
            }
            for (key, taken) in changed {
                // What other servers let pass counts here, too.
                let all = try AttemptBudgetTable.add(taken, to: key, at: now, in: database)
                state.withLockedValue { state in
                    let known = state.accounts[key]?.fullAt ?? all
                    state.accounts[key] = AttemptBudget.Account(fullAt: max(known, all))
                }
            }
            if mustSweep { try AttemptBudgetTable.sweep(at: now, in: database) }
        } otherwise: { [state] in
            // What is not written yet goes with the next try.
            state.withLockedValue { $0.isWriting = false }
        }
    }

    private static func digest(_ key: String) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Data(key.utf8))).prefix(16))
    }
}
