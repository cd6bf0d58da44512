// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
package import FreshetEngine
package import FreshetMetrics
package import FreshetWire
package import Logging
import NIOConcurrencyHelpers

/// The clock of all decisions of a server (``ClockTrust``).
///
/// Each reading compares the clocks, so that no decision is made between a jump and its detection.
package final class ServerClock: Sendable {
    private struct State {
        var trust: ClockTrust
        /// Whether the last reading was trusted, for the metrics.
        var isTrusted = true
        /// The difference between the wall clock and the server's time.
        var offset = Duration.zero
    }

    private let source: ClockSource
    private let metrics: ServerMetrics
    private let log: Logger
    private let state: NIOLockedValueBox<State>

    package init(_ source: ClockSource, metrics: ServerMetrics, log: Logger) {
        self.source = source
        self.metrics = metrics
        self.log = log
        state = NIOLockedValueBox(State(trust: ClockTrust(wall: source.wall(), monotonic: source.monotonic())))
    }

    /// The server's time.
    package func callAsFunction() -> Timestamp { reading().now }

    /// Returns the same as ``callAsFunction()``, for use as a function value.
    @Sendable package func now() -> Timestamp { reading().now }

    /// Returns the server's time, and whether an expiry determined by it is final.
    @discardableResult
    package func reading() -> ClockReading {
        let (wall, monotonic) = (source.wall(), source.monotonic())
        let (reading, change) = state.withLockedValue { state in
            let (reading, change) = state.trust.read(wall: wall, monotonic: monotonic)
            state.isTrusted = reading.isTrusted
            if change != nil { state.offset = wall - reading.now }
            return (reading, change)
        }
        if let change { report(change) }
        return reading
    }

    package var isTrusted: Bool { state.withLockedValue { $0.isTrusted } }
    /// The difference between the wall clock and the server's time; zero while the wall clock is trusted.
    package var offset: Duration { state.withLockedValue { $0.isTrusted ? .zero : $0.offset } }

    // MARK: - The database

    /// Compares the wall clock with the time stored in the database and the database's clock.
    ///
    /// Must be called once, before any decision.
    package func compare(with database: any ServerDatabase) throws {
        let (stored, databaseTime) = try database.readNow { [source] connection in
            (
                try ServerStateTable.get(ServerStateTable.trustedTime, in: connection).map {
                    Timestamp(milliseconds: $0)
                },
                source.queriesDatabase ? try connection.serverTime() : nil
            )
        }
        let (wall, monotonic) = (source.wall(), source.monotonic())
        state.withLockedValue { state in
            state.trust = ClockTrust(wall: wall, monotonic: monotonic, stored: stored, databaseClock: databaseTime)
        }
        reading()
    }

    /// Reads the database server's clock, and stores the time, also as the trusted one if it is trusted.
    func synchronize(with database: any ServerDatabase, stores: Bool) async throws {
        if source.queriesDatabase {
            let before = source.monotonic()
            let time = try await database.read { try $0.serverTime() }
            // A slow response is not an accurate reading of the clock.
            if let time, source.monotonic() - before < Self.maximumQueryDuration {
                state.withLockedValue { $0.trust.recordDatabaseClock(time, monotonic: before) }
            }
        }
        let reading = reading()
        guard stores else { return }
        try await database.backgroundWrite { connection in
            let names = [ServerStateTable.serverTime] + (reading.isTrusted ? [ServerStateTable.trustedTime] : [])
            for name in names { try ServerStateTable.set(name, reading.now.milliseconds, in: connection) }
        }
    }

    private static let maximumQueryDuration = Duration.seconds(30)

    // MARK: - Operators

    private func report(_ change: ClockTrust.Change) {
        switch change {
        case .lost(let doubt, let difference):
            metrics.count("freshet_clock_jumps_total")
            log.warning(
                "the wall clock is not trusted; expiry is not final and the clean-up is paused until it is",
                metadata: ["why": "\(doubt.rawValue)", "seconds": "\(difference.wholeSeconds)"]
            )
        case .movedAgain(let difference):
            metrics.count("freshet_clock_jumps_total")
            log.warning(
                "the untrusted wall clock has jumped again",
                metadata: ["seconds": "\(difference.wholeSeconds)"]
            )
        case .agreed:
            log.notice("the wall clock is trusted again: it agrees with the other clocks")
        case .settled(let difference):
            log.notice(
                "the wall clock is trusted again: it has run evenly for an hour, so its jump was a correction",
                metadata: ["seconds": "\(difference.wholeSeconds)"]
            )
        }
    }
}

extension SessionRow {
    /// Returns the reason that the session has ended or expired; `nil` if it has not.
    ///
    /// - Throws: `unavailable` if only an untrusted clock says so.
    package func endReason(at reading: ClockReading) throws(APIError) -> EndReason? {
        let reason = endReason(at: reading.now)
        if reason != nil, ending == nil, !reading.isTrusted { throw .clockNotTrusted }
        return reason
    }
}
