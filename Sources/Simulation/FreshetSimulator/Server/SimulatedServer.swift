// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetDatabase
    import FreshetEngine
    import FreshetServer
    import FreshetWire
    import SeededRandom

    /// A machine with a server: its disk, its clock, and the process that runs at the moment.
    final class SimulatedServer: @unchecked Sendable {
        let mailbox = Mailbox()
        private let disk: SimulatedDisk
        private var configuration: ServerConfiguration
        private let journal: Journal
        private let trace: TraceWriter?
        private var process: ServerProcess?
        private var random: SeededRandomStream
        /// The difference between the machine's wall clock and the true time.
        private(set) var clockOffset = Duration.zero
        /// The number of power failures.
        private(set) var powerCuts = 0

        init(
            _ template: ServerTemplate,
            seed: UInt64,
            journal: Journal,
            trace: TraceWriter?,
            accessLifetime: Duration
        ) {
            disk = template.disk.copy()
            configuration = ServerProcess.configuration(template.folder)
            configuration.lifetimes.access = accessLifetime
            random = SeededRandomStream(seed: seed, device: 0, matter: 3)
            self.journal = journal
            self.trace = trace
        }

        var isRunning: Bool { process != nil }

        /// Starts the server's process, unless one is running.
        func start() {
            guard process == nil else { return }
            do {
                let database = try SimulatedDatabase(on: disk) { [self] in
                    .microseconds(random.number(in: 100...5000))
                }
                let clock = ClockSource(
                    wall: { [self] in
                        Timestamp(milliseconds: 1_800_000_000_000) + SimulationExecutor.shared.now + clockOffset
                    },
                    monotonic: { SimulationExecutor.shared.now }
                )
                process = try ServerProcess(
                    configuration,
                    database,
                    clock: clock,
                    log: mailbox.log,
                    observer: trace?.observer
                )
            } catch {
                journal.note("the server does not start: \(error)")
            }
        }

        /// Kills the process.
        func kill() {
            process?.kill()
            process = nil
        }

        /// Cuts the power of the machine: the last commits that were not flushed may be lost.
        func cutPower() {
            kill()
            powerCuts += 1
            trace?.rollBack()
            disk.cutPower(survivors: random.number(in: 0...disk.unflushedWrites))
        }

        /// Sets the wall clock forwards or backwards.
        func jumpClock(by offset: Duration) { clockOffset += offset }

        func setDiskFull(_ isFull: Bool) { disk.isFull = isFull }

        /// Answers a request by the process that is running.
        func respond(to request: URLRequest, bodyDelay: Duration, bodyArrived: @escaping () -> Void) async throws
            -> (Data, HTTPURLResponse)
        {
            guard let process else { throw ProcessEnded() }
            return try await process.respond(to: request, bodyDelay: bodyDelay, bodyArrived: bodyArrived)
        }

        /// Returns the IDs of the sessions that have not ended, by reading the database of a stopped server.
        func liveSessions() throws -> Set<String> {
            kill()
            disk.isFull = false
            let connection = try disk.open()
            defer { SimulatedDatabase.close(connection) }
            let live = "SELECT id FROM sessions WHERE ended_at IS NULL"
            return Set(try connection.rows(live) { try $0[0] as SessionID }.map(\.description))
        }
    }
#endif
