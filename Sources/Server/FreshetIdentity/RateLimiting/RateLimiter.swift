// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetEngine
package import FreshetMetrics
import FreshetWire
package import Logging
import NIOConcurrencyHelpers

/// Counts attempts in token buckets, and keeps the counts over a restart.
package final class RateLimiter: Sendable {
    private struct State: Sendable {
        var buckets: TokenBucketTable
        /// Time that was added to buckets and is not in the database yet.
        var unwritten: [Bits128: Unwritten] = [:]
        var isWriting = false
        var writes = 0
    }

    private struct Unwritten: Sendable {
        var span: Duration
        var limit: RateLimit
    }

    /// The buckets that an attempt was counted in.
    private typealias Charged = [RateLimitPlan.DigestedCharge]

    private let database: any ServerDatabase
    private let metrics: ServerMetrics
    private let log: Logger
    private let clock: ServerClock
    private let state: NIOLockedValueBox<State>
    /// Buckets with changes to write at most; while the database takes no writes, further ones are counted in memory alone.
    private static let maximumUnwritten = 65_536
    /// Full buckets are deleted from the database with every 64th write.
    private static let sweepEvery = 64
    /// How often a network without a token is logged.
    private static let warnings = RateLimit(capacity: 1, interval: .seconds(300))

    /// - Parameters:
    ///   - database: Where counts are kept.
    ///   - metrics: Counts refused attempts.
    ///   - log: Names networks that have no token left.
    ///   - clock: The server's clock; buckets that are full by its earliest time are not loaded, and nothing is written while
    ///     it is not trusted.
    ///   - capacity: The largest number of buckets in memory.
    /// - Throws: Whatever the database says.
    package init(
        _ database: any ServerDatabase,
        metrics: ServerMetrics,
        log: Logger,
        clock: ServerClock,
        capacity: Int = 262_144
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
        state = NIOLockedValueBox(State(buckets: buckets))
    }

    // MARK: - Counting

    /// Takes a token from each bucket of the first alternative that has one in all of them.
    ///
    /// - Throws: `tooManyRequests`, with the time to wait, if there is none.
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
    /// - Returns: What `body` returned.
    /// - Throws: `tooManyRequests` before `body` runs, or what it throws; an attempt without a result is no failure.
    package func attempt<Value>(
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

    /// Counts a failure that could not be refused beforehand.
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

    /// Logs that a network has no attempt left: an operator sees a guesser, or a proxy that was not named.
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
                let (key, limit) = (charge.key, charge.charge.limit)
                guard state.unwritten[key] != nil || state.unwritten.count < Self.maximumUnwritten else { continue }
                state.unwritten[key, default: Unwritten(span: .zero, limit: limit)].span += limit.interval
            }
            // What is not written yet is written with the first attempt after the clock is trusted again.
            guard clock.isTrusted else { return false }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustWrite { write(now) }
    }

    /// Writes with the next batch what has changed until then; a crash loses that much and no more.
    private func write(_ now: Timestamp) {
        database.enqueueBestEffort { [state] database in
            let (changed, mustSweep) = state.withLockedValue { state in
                let changed = state.unwritten
                state.unwritten = [:]
                state.isWriting = false
                state.writes += 1
                return (changed, state.writes % Self.sweepEvery == 1)
            }
            // In one order everywhere: two servers that wait for each other's rows would wait for ever.
            for (key, change) in changed.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
                let bucket = try RateLimitTable.add(change.span, to: key, change.limit, at: now, in: database)
                // What other servers counted counts here, too.
                state.withLockedValue { $0.buckets.merge(bucket, into: key, change.limit, now: now) }
            }
            if mustSweep { try RateLimitTable.sweep(at: now, in: database) }
        } otherwise: { [state] in
            // What is not written yet goes with the next attempt.
            state.withLockedValue { $0.isWriting = false }
        }
    }
}
