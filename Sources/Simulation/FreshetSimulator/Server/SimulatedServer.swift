// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetEngine
    import FreshetIdentity
    import FreshetPages
    import FreshetServer
    import ServiceLifecycle

    /// A machine with a server: its clock, and the process that runs at the moment.
    final class SimulatedServer: @unchecked Sendable {
        private let setup: ServerSetup
        private let host: DatabaseHost
        /// The process; `nil` while none runs.
        private(set) var process: ServerProcess?
        /// Whether the process runs with older keys than the server's own.
        private(set) var hasOlderKeys = false
        let clock: MachineClock

        init(_ setup: ServerSetup, on host: DatabaseHost, _ clock: MachineClock) {
            self.setup = setup
            self.clock = clock
            self.host = host
        }

        /// Starts the server's process, unless one is running.
        ///
        /// - Parameter keys: A folder with other keys than the server's own; they are not rotated.
        func start(keys: URL? = nil) {
            guard process == nil else { return }
            hasOlderKeys = keys != nil
            var setup = setup
            if let keys {
                setup.configuration.dataDirectory = keys
                setup.configuration.keys.rotation = nil
                setup.journal.note("a server starts with older keys")
            }
            do {
                if !setup.isShared { try host.open() }
                let database = setup.database(on: host)
                let source = ClockSource(
                    wall: { [clock] in clock.wall },
                    monotonic: { [clock] in clock.monotonic },
                    queriesDatabase: setup.isShared
                )
                process = try ServerProcess(setup, database, clock: source)
            } catch {
                if !setup.isShared { host.close() }
                setup.journal.note("the server does not start: \(error)")
            }
        }

        /// Kills the process.
        func kill() { process.take()?.kill() }
    }

    /// The properties that the servers of a history share.
    struct ServerSetup {
        var configuration: ServerConfiguration
        /// Whether several servers use one database.
        var isShared = false
        /// Whether sessions end without an announcement of the server, which searches for them: by another server, by an
        /// operator's command, or by a commit whose flush fails.
        var findsEnds = false
        /// Whether the keys change.
        var rotatesKeys = false
        /// Whether the metrics recorder runs, which takes a tenth of the time.
        var recordsMetrics = false
        /// The connections by which requests enter; `nil` if they enter at the router.
        var connections: SimulatedConnections?
        var mailbox = Mailbox()
        var journal: Journal
        var trace: TraceWriter?
        /// Receives what the servers commit.
        var observers: [SessionObserver] = []

        /// The faults of a shared database.
        var databaseFaults: DatabaseFaults

        /// Returns the database as a new process sees it.
        func database(on host: DatabaseHost) -> any ServerProcessDatabase {
            isShared ? SharedDatabase(on: host, databaseFaults) : SimulatedDatabase(on: host, databaseFaults)
        }

        /// Whether the servers run a service.
        var runsService: @Sendable (any Service) -> Bool {
            { [isShared, rotatesKeys, recordsMetrics] service in
                switch service {
                // Finds the sessions that other servers ended; a single server scans after a failed flush or a command.
                case is RevocationPoller: isShared
                case is MetricsRecorder: recordsMetrics
                case is KeyReloader: rotatesKeys
                default: true
                }
            }
        }
    }

    extension Timestamp {
        /// The true time of the history.
        static var simulated: Timestamp { Timestamp(milliseconds: 1_800_000_000_000) + SimulationExecutor.shared.now }
    }
#endif
