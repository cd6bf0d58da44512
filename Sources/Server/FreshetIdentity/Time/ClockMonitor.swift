// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
import FreshetEngine
package import Logging
import ServiceLifecycle

/// Compares the wall clock with the other clocks (``ClockTrust``) at an interval, and stores the time for the next
/// startup and for operators' commands.
package final class ClockMonitor: Service {
    package static let interval = Duration.seconds(10)
    /// The number of comparisons per write of the time.
    private static let comparisonsPerWrite = 6

    private let clock: ServerClock
    private let database: any ServerDatabase
    private let log: Logger
    private let interval: Duration

    package init(
        clock: ServerClock,
        database: any ServerDatabase,
        log: Logger,
        interval: Duration = ClockMonitor.interval
    ) {
        self.clock = clock
        self.database = database
        self.log = log
        self.interval = interval
    }

    func run() async throws {
        var comparisons = 0
        while true {
            let stores = comparisons == 0
            let succeeded = await synchronize(stores: stores)
            // A failed write is repeated with the next comparison.
            if succeeded || !stores { comparisons = (comparisons + 1) % Self.comparisonsPerWrite }
            do { try await sleepUntilShutdown(for: interval) } catch {
                break
            }
        }
        await synchronize(stores: true)
    }

    /// Compares the clocks, and stores the time if told to.
    ///
    /// - Returns: Whether that succeeded.
    @discardableResult
    private func synchronize(stores: Bool) async -> Bool {
        do {
            try await clock.synchronize(with: database, stores: stores)
            return true
        } catch {
            log.debug(
                "the database's clock cannot be read, or the time cannot be stored",
                metadata: ["why": "\(error)"]
            )
            return false
        }
    }
}
