// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
import FreshetEngine
import FreshetWire
package import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Polls the database for ended sessions.
///
/// This server thus detects within a second the sessions that other servers or operators' commands ended.
///
/// It is the only reader of ended sessions while the server runs. Requests of the feed's followers trigger additional
/// scans.
package final class RevocationPoller: Service {
    /// The maximum number of ended sessions per query.
    static let pageSize = 1000
    /// The time within which a request of this server must claim a session that it ended.
    ///
    /// A session that is not claimed was ended by another process.
    static let claimTimeout = Duration.milliseconds(300)
    /// The period of ended sessions that a scan covers.
    ///
    /// Allows for two servers whose clocks differ from the database's.
    var window: Duration { sessions.ended.window }

    private struct State {
        var policy: RevocationScanPolicy
        /// The start of the last completed scan.
        var scannedAt: ContinuousClock.Instant?
        /// A scan that several followers await.
        var shared: (number: UInt64, scan: Task<Void, any Error>)?
        var lastNumber: UInt64 = 0
    }

    let sessions: SessionRegistry
    let log: Logger
    private let start = ContinuousClock.now
    private let state: NIOLockedValueBox<State>

    package init(sessions: SessionRegistry, log: Logger) {
        self.sessions = sessions
        self.log = log
        let policy = RevocationScanPolicy(window: sessions.ended.window, wall: sessions.clock(), steady: .zero)
        state = NIOLockedValueBox(State(policy: policy))
    }

    func run() async throws {
        var pause = RevocationScanPolicy.interval
        while true {
            do { try await sleepUntilShutdown(for: pause) } catch { return }
            let start = ContinuousClock.now
            var hasFailed = false
            do { try await scan() } catch {
                log.warning("ended sessions cannot be read", error: error)
                hasFailed = true
            }
            pause = RevocationScanPolicy.pause(after: ContinuousClock.now - start, hasFailed: hasFailed)
        }
    }

    /// Scans unless a scan completed within the poller's interval; concurrent callers share one scan.
    func scanIfDue() async throws {
        let scan = state.withLockedValue { state -> Task<Void, any Error>? in
            if let last = state.scannedAt, ContinuousClock.now - last < RevocationScanPolicy.interval { return nil }
            if let shared = state.shared { return shared.scan }
            state.lastNumber += 1
            let number = state.lastNumber
            let scan = Task { [self] in
                defer {
                    self.state.withLockedValue { if $0.shared?.number == number { $0.shared = nil } }
                }
                try await self.scan()
            }
            state.shared = (number, scan)
            return scan
        }
        try await scan?.value
    }

    /// Reads the ended sessions once and notifies the listeners of the new ones.
    ///
    /// Sessions found before a query failed are still published; the next scan starts over.
    package func scan() async throws {
        let (instant, wall) = (ContinuousClock.now, sessions.clock())
        let steady = instant - start
        sessions.publishUnclaimedEnds(foundBefore: instant - Self.claimTimeout)
        let scan = state.withLockedValue { $0.policy.next(wall: wall, steady: steady) }
        var lateness = Duration.zero
        // After an early eviction, the evicted sessions must not be reported as new again.
        var place: SessionEndPosition? = .before(max(scan.start, sessions.ended.acceptsTokensSince))
        while let start = place {
            let found = try await sessions.database.read {
                try SessionTable.endings(after: start, limit: Self.pageSize, in: $0)
            }
            let new = sessions.publishEnds(found: found)
            lateness = new.reduce(lateness) { max($0, wall - $1.at) }
            place = found.count < Self.pageSize ? nil : found.last.map { .init(at: $0.at, session: $0.id) }
        }
        let canForget = state.withLockedValue { state in
            state.scannedAt = max(state.scannedAt ?? instant, instant)
            return state.policy.finish(scan, lateness: lateness, wall: wall, steady: steady)
        }
        if canForget { sessions.ended.evictUnseen() }
    }
}
