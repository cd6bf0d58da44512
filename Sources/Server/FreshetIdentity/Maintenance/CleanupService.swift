// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetEngine
import FreshetWire
package import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Deletes expired rows in small batches, and only while the clock is trusted.
///
/// The clean-up only limits the size of the database: expiry is checked when a row is read.
package final class CleanupService: Service {
    /// The number of rows per transaction; writing requests wait for it.
    static let batch = 100
    /// The number of sessions per read; no request waits for it.
    static let page = 2000
    /// The delay of the first clean-up after the start.
    static let initialDelay = Duration.seconds(30)
    /// The pause between two batches, in which requests can write.
    static let pause = Duration.milliseconds(10)
    /// The pause between two pages of sessions.
    static let pagePause = Duration.milliseconds(50)

    /// The service's state, for the metrics.
    package struct Status: Sendable {
        /// Rows deleted since the start, by table.
        package var deleted: [String: Int] = [
            "sessions": 0, "events": 0, "code_attempts": 0, "page_sessions": 0, "mail_queue": 0,
        ]
        /// The number of sessions by state: live, ended or expired.
        package var sessions: [String: Int] = [:]
        /// The client versions of the live sessions.
        package var clients = ClientVersionCounts()
        /// The time of the count.
        package var countedAt: Timestamp?
    }

    private let database: any ServerDatabase
    private let configuration: RetentionConfiguration
    /// The time for which the rows of ended sessions are kept.
    private let endedSessions: Duration
    private let log: Logger
    private let clock: ServerClock
    private let state = NIOLockedValueBox(Status())

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - configuration: The retention periods. Ended sessions are kept at least until their access tokens have expired:
    ///     a server that starts reads from the rows which of these it must refuse.
    ///   - maximumTokenLifetime: The maximum age of an access token.
    ///   - log: The log.
    ///   - clock: The clock.
    package init(
        database: any ServerDatabase,
        configuration: RetentionConfiguration,
        maximumTokenLifetime: Duration,
        log: Logger,
        clock: ServerClock
    ) {
        self.database = database
        self.configuration = configuration
        endedSessions = max(configuration.endedSessions, RevokedSessionCache.window(ofTokens: maximumTokenLifetime))
        self.log = log
        self.clock = clock
    }

    package var status: Status { state.withLockedValue { $0 } }

    func run() async throws {
        let interval = configuration.cleaningInterval
        var pause = min(interval, Self.initialDelay)
        while true {
            do { try await sleepUntilShutdown(for: pause) } catch { return }
            pause = interval
            do { try await cancelWhenGracefulShutdown { [self] in try await clean() } } catch is CancellationError {
                return
            } catch {
                log.error("the clean-up failed", error: error)
            }
        }
    }

    /// Deletes expired rows in batches; stops between two batches if the clock jumps.
    func clean() async throws {
        guard isClockTrusted() else { return try await count() }
        let now = clock()
        let retention = configuration.audit
        for (isPlain, span) in [(true, retention.plain), (false, retention.events)] {
            let end = now + (.zero - span)
            try await inBatches("events") { try AuditTable.forget(plain: isPlain, before: end, batch: $1, in: $0) }
        }
        try await inBatches("code_attempts") { database, batch in
            // An hour longer than the lifetime of a code: a retry after a lost response still finds that the code was
            // used.
            try CodeAttemptTable.forget(before: now + .seconds(-3600), batch: batch, in: database)
        }
        let deleted = try await MetricsRollup(database: database).run(at: now) { isClockTrusted() }
        if deleted > 0 { state.withLockedValue { $0.deleted["figures", default: 0] += deleted } }
        let unseen = now + (.zero - KnownNetworkTable.lifetime)
        for table in [KnownNetworkTable.accounts, .clients] {
            try await inBatches(table.name) { try table.delete(before: unseen, batch: $1, in: $0) }
        }
        try await inBatches("mail_queue") { try MailTable.forget(before: now, batch: $1, in: $0) }
        try await inBatches("page_sessions") { try PageSessionTable.deleteExpired(before: now, batch: $1, in: $0) }
        try await count(
            deletingEndedBefore: now + (.zero - endedSessions),
            forgettingRunsBefore: now + (.zero - retention.plain)
        )
    }

    private func isClockTrusted() -> Bool { clock.reading().isTrusted }

    private func inBatches(_ table: String, _ delete: @escaping @Sendable (any SQLConnection, Int) throws -> Int)
        async throws
    {
        while isClockTrusted() {
            let deleted = try await database.backgroundWrite { try delete($0, Self.batch) }
            state.withLockedValue { $0.deleted[table, default: 0] += deleted }
            if deleted < Self.batch { return }
            try await yieldToWriters()
        }
    }

    /// Counts the sessions, a page at a time, and deletes those that ended long ago.
    ///
    /// Clears the refresh streaks of those unused for long.
    ///
    /// Idle expiry and last use have no index, which each refresh would have to update.
    private func count(
        deletingEndedBefore end: Timestamp? = nil,
        forgettingRunsBefore runEnd: Timestamp? = nil
    ) async throws {
        var counts = ["live": 0, "ended": 0, "expired": 0]
        var clients = ClientVersionCounts()
        var last: SessionTable.End?
        repeat {
            let now = clock()
            let page = try await database.read { [last] in
                try SessionTable.ends(after: last, limit: Self.page, in: $0)
            }
            last = page.count == Self.page ? page.last : nil
            for row in page {
                let name = row.endedAt != nil ? "ended" : row.end <= now ? "expired" : "live"
                counts[name, default: 0] += 1
                guard name == "live" else { continue }
                clients.count(platform: SessionMetrics.platform(row.platform), app: row.app, version: row.appVersion)
            }
            if let end {
                let over = page.filter { min($0.endedAt ?? $0.end, $0.end) < end }.map(\.id)
                let deleted = try await inBatches(of: over) { try SessionTable.delete($0, endedBefore: end, in: $1) }
                state.withLockedValue { $0.deleted["sessions", default: 0] += deleted }
            }
            if let runEnd {
                let unused = page.filter { row in row.runAt.map { $0 < runEnd } ?? false }.map(\.id)
                _ = try await inBatches(of: unused) { try SessionTable.forgetRuns(of: $0, before: runEnd, in: $1) }
            }
            if last != nil { try await Task.sleep(for: Self.pagePause) }
        } while last != nil
        let now = clock()
        state.withLockedValue { [counts, clients] state in
            state.sessions = counts
            state.clients = clients
            state.countedAt = now
        }
    }

    private func inBatches(
        of sessions: [SessionID],
        _ change: @escaping @Sendable ([SessionID], any SQLConnection) throws -> Int
    ) async throws -> Int {
        var changed = 0
        for start in stride(from: 0, to: sessions.count, by: Self.batch) where isClockTrusted() {
            let batch = Array(sessions[start...].prefix(Self.batch))
            changed += try await database.backgroundWrite { try change(batch, $0) }
            try await yieldToWriters()
        }
        return changed
    }

    /// Pauses and checkpoints between two batches.
    private func yieldToWriters() async throws {
        try await Task.sleep(for: Self.pause)
        await database.checkpoint()
        try await Task.sleep(for: Self.pause)
    }
}
