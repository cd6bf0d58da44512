// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetEngine
import FreshetIdentity
package import FreshetMetrics
import Hummingbird
package import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Stores the increase of the metrics once a minute, for charts over time.
///
/// It writes the difference between the current metrics and those of a minute ago.
package final class MetricsRecorder: Service {
    /// The maximum number of minutes that are kept while they cannot be written.
    static let maximumPendingMinutes = 60
    /// The maximum delay of a write, in minutes, that still records uptime for the minutes in between.
    private static let maximumTimerDelay: Int64 = 5

    private struct State {
        /// The counts at the time of the last write.
        var written: [MetricSeries: Int]
        /// The minute to which later counts belong.
        var minute: Int64
        /// The counts to be written, by minute.
        var pending: [Int64: [MetricSeries: Int]] = [:]
    }

    private let database: any ServerDatabase
    private let metrics: ServerMetrics
    private let node: String
    private let log: Logger
    private let clock: @Sendable () -> Timestamp
    private let state: NIOLockedValueBox<State>
    /// Held during a write, as its counts are neither unwritten nor in the database yet.
    private let writing = AsyncMutex()

    package init(
        database: any ServerDatabase,
        metrics: ServerMetrics,
        node: String = MetricsRecorder.hostName,
        log: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.database = database
        self.metrics = metrics
        self.node = node
        self.log = log
        self.clock = clock
        state = NIOLockedValueBox(State(written: metrics.tally, minute: clock().minute))
    }

    /// The name of this host, which distinguishes the metrics of several servers.
    static let hostName: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "server" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.isEmpty ? "server" : String(text.prefix(64))
    }()

    func run() async throws {
        while true {
            let rest = 60_000 - (clock().milliseconds % 60_000)
            do {
                try await sleepUntilShutdown(for: .milliseconds(rest))
            } catch { return }
            await write()
        }
    }

    /// The number of writes and reports that wait for a write to end.
    var waitingCalls: Int { writing.waiterCount }

    /// Writes the counts since the last write.
    package func write() async { await writing.withLock { await writePending() } }

    private func writePending() async {
        let pending = close()
        do {
            try await database.backgroundWrite { [node] database in
                for (minute, tally) in pending {
                    try MetricsTable.recordUptime(minute, node: node, in: database)
                    try MetricsTable.add(tally, minute: minute, node: node, in: database)
                }
            }
        } catch {
            restore(pending)
            // At a shutdown, the remaining counts are written at the end.
            if !(error is CancellationError) { log.error("the figures cannot be written", error: error) }
        }
    }

    /// Returns the metrics of a time range up to now.
    func report(_ span: TimeRange) async throws -> MetricsReport {
        let now = clock()
        let start = span.start(at: now)
        return try await writing.withLock {
            let sums = try await database.read { database in
                try MetricsTable.sums(
                    from: start,
                    until: start + Int64(span.count) * span.step,
                    step: span.step,
                    in: database
                )
            }
            return MetricsReport(span, at: now, sums: sums, unwritten: unwritten)
        }
    }

    /// The counts that are not written yet.
    private var unwritten: [MetricSeries: Int] {
        let tally = metrics.tally
        return state.withLockedValue { state in
            var sum = Self.difference(tally, state.written)
            for (_, tally) in state.pending { sum.merge(tally, uniquingKeysWith: +) }
            sum[MetricSeries(.uptimeMinutes)] = 1
            return sum
        }
    }

    /// Closes the current minute, and returns all counts to be written.
    private func close() -> [Int64: [MetricSeries: Int]] {
        let tally = metrics.tally
        let now = clock().minute
        return state.withLockedValue { state in
            defer { state.pending = [:] }
            state.pending[state.minute, default: [:]].merge(
                Self.difference(tally, state.written),
                uniquingKeysWith: +
            )
            // The timer may fire late.
            if now > state.minute, now - state.minute <= Self.maximumTimerDelay {
                for minute in state.minute..<now where state.pending[minute] == nil { state.pending[minute] = [:] }
            }
            state.written = tally
            state.minute = max(state.minute, now)
            return state.pending
        }
    }

    private func restore(_ pending: [Int64: [MetricSeries: Int]]) {
        state.withLockedValue { state in
            state.pending.merge(pending) { $0.merging($1, uniquingKeysWith: +) }
            for minute in state.pending.keys.sorted().dropLast(Self.maximumPendingMinutes) {
                state.pending[minute] = nil
            }
        }
    }

    private static func difference(_ new: [MetricSeries: Int], _ old: [MetricSeries: Int]) -> [MetricSeries: Int] {
        new.reduce(into: [:]) { all, entry in
            let more = entry.value - (old[entry.key] ?? 0)
            if more > 0 { all[entry.key] = more }
        }
    }
}
