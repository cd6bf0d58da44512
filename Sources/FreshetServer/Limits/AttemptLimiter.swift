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
        /// Keys whose count is not in the database yet.
        var unwritten: Set<String> = []
        var isWriting = false
        var writes = 0
    }

    private let database: any ServerDatabase
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
            state.unwritten.formUnion(claims.map(\.key))
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
                let changed = state.unwritten.compactMap { key in state.accounts[key].map { (key, $0) } }
                state.unwritten = []
                state.isWriting = false
                state.writes += 1
                return (changed, state.writes % Self.sweepEvery == 1)
            }
            for (key, account) in changed { try AttemptBudgetTable.set(key, account, in: database) }
            if mustSweep { try AttemptBudgetTable.sweep(at: now, in: database) }
        }
    }

    private static func digest(_ key: String) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Data(key.utf8))).prefix(16))
    }
}
