// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetDatabase
import FreshetEngine
package import Logging
import ServiceLifecycle

/// Compares the wall clock with the other clocks (``ClockTrust``) at an interval, and stores the trusted time for the
/// next startup.
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
            await synchronize(stores: comparisons % Self.comparisonsPerWrite == 0)
            comparisons += 1
            do { try await sleepUntilShutdown(for: interval) } catch {
                break
            }
        }
        await synchronize(stores: true)
    }

    private func synchronize(stores: Bool) async {
        do { try await clock.synchronize(with: database, stores: stores) } catch {
            log.debug(
                "the database's clock cannot be read, or the trusted time cannot be stored",
                metadata: ["why": "\(error)"]
            )
        }
    }
}
