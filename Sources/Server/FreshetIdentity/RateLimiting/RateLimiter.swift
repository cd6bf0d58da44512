// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetEngine
package import FreshetMetrics
import FreshetWire
package import Logging
import NIOConcurrencyHelpers

/// Counts attempts in token buckets and persists the counts across restarts.
package final class RateLimiter: Sendable {
    private struct State: Sendable {
        var buckets: TokenBucketTable
        let maximumUnwritten: Int
        /// Time added to buckets and not yet written to the database.
        var unwritten: [Bits128: Unwritten] = [:]
        var isWriting = false
        var writes = 0

        mutating func add(_ change: Unwritten, to key: Bits128) {
            guard unwritten[key] != nil || unwritten.count < maximumUnwritten else { return }
            unwritten[key, default: Unwritten(span: .zero, limit: change.limit)].span += change.span
        }
    }

    private struct Unwritten: Sendable {
        var span: Duration
        var limit: RateLimit
    }

    /// The changes that a write contains, restored if its transaction fails.
    private typealias Batch = NIOLockedValueBox<[Bits128: Unwritten]>

    /// The buckets in which an attempt was counted.
    private typealias Charged = [RateLimitPlan.DigestedCharge]

    private let database: any ServerDatabase
    private let metrics: ServerMetrics
    private let log: Logger
    private let clock: ServerClock
    private let state: NIOLockedValueBox<State>
    /// The number of writes per deletion of full buckets from the database.
    private static let sweepEvery = 64
    /// The rate of warnings per network that has no token left.
    private static let warnings = RateLimit(capacity: 1, interval: .seconds(300))

    /// Loads the stored buckets.
    ///
    /// - Parameters:
    ///   - database: Stores the counts.
    ///   - metrics: Counts refused attempts.
    ///   - log: Receives a warning for each network that has no token left.
    ///   - clock: The server's clock; buckets that are full by its earliest time are not loaded, and nothing is written
    ///     while it is not trusted.
    ///   - capacity: The maximum number of buckets in memory.
    ///   - maximumUnwritten: The maximum number of unwritten buckets; while writes fail, further ones are counted in
    ///     memory only.
    /// - Throws: The database's errors.
    package init(
        _ database: any ServerDatabase,
        metrics: ServerMetrics,
        log: Logger,
        clock: ServerClock,
        capacity: Int = 262_144,
        maximumUnwritten: Int = 65_536
    ) throws {
        self.database = database
        self.metrics = metrics
        self.log = log
        self.clock = clock
        let now = clock.reading().earliest
        var buckets = TokenBucketTable(capacity: capacity)
        for (key, bucket) in try database.readNow({ try RateLimitTable.all(at: now, limit: capacity, in: $0) }) {
            buckets.merge(bucket, into: key, nil, now: now)
        }
        state = NIOLockedValueBox(State(buckets: buckets, maximumUnwritten: maximumUnwritten))
    }

    // MARK: - Counting

    /// Takes a token from each bucket of the first alternative in which every bucket has one.
    ///
    /// - Throws: `tooManyRequests`, with the time to wait, if no alternative has.
    package func take(_ plan: RateLimitPlan, now: Timestamp) throws(APIError) {
        let charged = try charge(plan, now)
        record(charged, now)
    }

    /// Counts an attempt whose result decides which tokens are given back.
    ///
    /// - Parameters:
    ///   - plan: The buckets.
    ///   - now: The current time.
    ///   - body: Makes the attempt; returns `nil` if it failed.
    /// - Returns: The value that `body` returned.
    /// - Throws: `tooManyRequests` before `body` runs, or the error of `body`; a thrown error does not count as a
    ///   failure.
    func attempt<Value>(
        _ plan: RateLimitPlan,
        now: Timestamp,
        _ body: () async throws -> Value?
    ) async throws -> Value? {
        let charged = try charge(plan, now)
        var hasFailed = false
        defer { finish(charged, hasFailed: hasFailed, now) }
        let value = try await body()
        hasFailed = value == nil
        return value
    }

    /// Counts a failure that could not be refused in advance.
    func recordFailure(_ plan: RateLimitPlan, now: Timestamp) {
        let digested = plan.digested
        guard case .charged(let charged) = state.withLockedValue({ $0.buckets.charge(digested, now: now) }) else {
            return
        }
        finish(charged, hasFailed: true, now)
    }

    private func charge(_ plan: RateLimitPlan, _ now: Timestamp) throws(APIError) -> Charged {
        let digested = plan.digested
        switch state.withLockedValue({ $0.buckets.charge(digested, now: now) }) {
        case .charged(let charged): return charged
        case .refused(let wait, let key):
            metrics.count("freshet_rate_limited_total", [("limit", key.name)])
            throw APIError(.tooManyRequests, "too many attempts; wait", retryAfter: wait)
        }
    }

    private func finish(_ charged: Charged, hasFailed: Bool, _ now: Timestamp) {
        if hasFailed {
            for charge in charged { warn(charge.charge, charge.key, now) }
            return record(charged, now)
        }
        let returned = charged.filter { $0.charge.counting == .failures }
        if !returned.isEmpty {
            state.withLockedValue { state in
                for charge in returned { state.buckets.giveBack(charge.key, charge.charge.limit, now: now) }
            }
        }
        record(charged.filter { $0.charge.counting == .attempts }, now)
    }

    /// Logs that a network has no attempts left: a sign of password guessing, or of a proxy that is not configured.
    private func warn(_ charge: RateLimitCharge, _ key: Bits128, _ now: Timestamp) {
        guard charge.counting == .failures, case .network(let operation, let network) = charge.key else { return }
        let warning = RateLimitKey.network(.warning, network).digest
        let isDue = state.withLockedValue { state in
            state.buckets.wait([(key, charge.limit)], now: now) != nil
                && state.buckets.take([(warning, Self.warnings)], now: now) == nil
        }
        guard isDue else { return }
        metrics.count("freshet_networks_limited_total", [("operation", "\(operation)")])
        log.warning(
            "a network has no failed sign-ins left; its further attempts get 429",
            metadata: [
                "network": "\(network)", "operation": "\(operation)", "failures": "\(charge.limit.capacity)",
                "interval": "\(charge.limit.interval.wholeSeconds)",
            ]
        )
    }

    // MARK: - Writing

    private func record(_ charged: Charged, _ now: Timestamp) {
        guard !charged.isEmpty else { return }
        let mustWrite = state.withLockedValue { state in
            for charge in charged {
                let limit = charge.charge.limit
                state.add(Unwritten(span: limit.interval, limit: limit), to: charge.key)
            }
            // Unwritten changes are written with the first attempt after the clock is trusted again.
            guard clock.isTrusted else { return false }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustWrite { write(now) }
    }

    /// Writes the changes made until the next batch runs; a crash loses at most these.
    private func write(_ now: Timestamp) {
        let batch = Batch([:])
        database.enqueueBestEffort { [state] database in
            let (changed, mustSweep) = state.withLockedValue { state in
                let changed = state.unwritten
                state.unwritten = [:]
                state.isWriting = false
                state.writes += 1
                return (changed, state.writes % Self.sweepEvery == 1)
            }
            batch.withLockedValue { $0 = changed }
            // Rows are written in key order on every server: two servers that lock the same rows in different orders
            // would deadlock.
            for (key, change) in changed.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
                let bucket = try RateLimitTable.add(change.span, to: key, change.limit, at: now, in: database)
                // Merges the attempts that other servers counted.
                state.withLockedValue { $0.buckets.merge(bucket, into: key, change.limit, now: now) }
            }
            if mustSweep { try RateLimitTable.sweep(at: now, in: database) }
        } otherwise: { [state] in
            // Unwritten changes, and those of a transaction that failed, are written with the next attempt.
            let failed = batch.withLockedValue { $0 }
            state.withLockedValue { state in
                state.isWriting = false
                for (key, change) in failed { state.add(change, to: key) }
            }
        }
    }
}
