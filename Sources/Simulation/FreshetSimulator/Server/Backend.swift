// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetContractServer
    import FreshetDatabase
    import FreshetEngine
    import FreshetIdentity
    import FreshetKit
    import FreshetServer
    import FreshetWire
    import SeededRandom

    /// A server with its own database, or several servers of one database behind a load balancer.
    final class Backend: @unchecked Sendable {
        /// The time after which each server refuses the access tokens of a session that another one ended.
        ///
        /// An end by a clock that is behind is found by the scan of all ends, every five seconds.
        let propagation: Duration

        private let setup: ServerSetup
        /// The folder with the keys of this history, and a copy of it from the beginning; `nil` if they do not change.
        private let folder, olderKeys: URL?
        private let host: DatabaseHost
        private let servers: [SimulatedServer]
        /// Those of servers, or that of a shared database: a server that starts with two wrong clocks may trust none.
        private let clocksThatJump: [MachineClock]
        private var random: SeededRandomStream
        /// The time at which a server was started last with older keys; `nil` if none was.
        private var olderKeysAt: Duration?
        /// The time since which the servers of a shared database reach it.
        private var reachableSince = Duration.zero

        init(
            _ template: ServerTemplate,
            _ plan: HistoryPlan,
            journal: Journal,
            trace: TraceWriter?,
            exchanges: ExchangeLog
        ) {
            let isShared = plan.servers > 1
            // Ends that another clock dates are found by a scan of the whole window.
            propagation = .seconds(plan.clockDifference > .zero || plan.hasClockJump ? 8 : 3)
            folder = plan.rotatesKeys ? template.copyFolder("copy") : nil
            olderKeys = plan.rotatesKeys ? template.copyFolder("older") : nil
            var configuration = ServerProcess.configuration(
                folder ?? template.folder,
                hasProductionLimits: plan.hasProductionLimits
            )
            configuration.lifetimes.access = plan.accessLifetime
            if let lifetimes = plan.lifetimes {
                lifetimes.idle.map { configuration.lifetimes.idle = .seconds($0) }
                lifetimes.absolute.map { configuration.lifetimes.absolute = .seconds($0) }
                configuration.operations.retention.endedSessions = .seconds(lifetimes.retention)
            }
            exchanges.isRecording = plan.app != nil || !plan.olderClients.isEmpty || plan.oauth != nil
            exchanges.hasEvenClocks = !plan.hasClockJump && plan.clockDifference == .zero
            exchanges.clockDifference = plan.clockDifference
            if plan.oauth != nil || plan.hasResourceServer { configuration.oauthClients = template.clients }
            if let app = plan.app {
                var served = ServedContract(app.contract.document)
                served.setLifetimes(
                    access: plan.accessLifetime,
                    idle: plan.lifetimes?.idle.map { .seconds($0) },
                    absolute: plan.lifetimes?.absolute.map { .seconds($0) }
                )
                configuration.contracts = [served]
            }
            if plan.rotatesKeys {
                configuration.keys.rotation = KeyConfiguration.minimumRotation
                configuration.keys.interval = .seconds(isShared ? 30 : 300)
                // A server reads the keys late, once a reading fails, and a verifier asks for them once a minute.
                if isShared { configuration.keys.activationDelay = .seconds(150) }
            }
            let connections = plan.usesConnections ? SimulatedConnections(seed: plan.seed, journal) : nil
            configuration.operations.hasFastPath = plan.usesConnections
            configuration.operations.trustsRequestID = plan.usesConnections
            let setup = ServerSetup(
                configuration: configuration,
                isShared: isShared,
                findsEnds: isShared || plan.endsUnannounced,
                rotatesKeys: plan.rotatesKeys,
                recordsMetrics: plan.recordsMetrics,
                connections: connections,
                journal: journal,
                trace: trace,
                observers: [trace?.observer, exchanges.observer].compactMap(\.self),
                databaseFaults: DatabaseFaults(seed: plan.seed, trace, exchanges)
            )
            self.setup = setup
            nonisolated(unsafe) var delays = SeededRandomStream(seed: plan.seed, device: 0, matter: 3)
            let clocks = (0...plan.servers).map { machine in
                MachineClock(Oscillator(plan, machine: -1 - machine), offset: plan.clockOffset(ofMachine: machine))
            }
            let host = DatabaseHost(template.disk.copy(), clocks[plan.servers]) {
                .microseconds(delays.number(in: 100...5000))
            }
            self.host = host
            servers = clocks.dropLast().map { SimulatedServer(setup, on: host, $0) }
            clocksThatJump = isShared && plan.seed.isMultiple(of: 3) ? [host.clock] : Array(clocks.dropLast())
            random = SeededRandomStream(seed: plan.seed, device: 0, matter: 5)
        }

        var mailbox: Mailbox { setup.mailbox }

        /// The connections by which requests enter; `nil` if they enter at the router.
        var connections: SimulatedConnections? { setup.connections }

        /// The counts of events of the transactions of a shared database; `nil` with one server.
        var databaseFaults: [DatabaseFaults.Kind: Int]? { setup.isShared ? setup.databaseFaults.counts : nil }

        /// Ends the faults that let a request fail.
        func endFaults() {
            setup.connections?.hasFaults = false
            setup.databaseFaults.losesConnections = false
        }

        /// Removes the files and the disk of this history, which a task that waits forever would keep.
        func removeFiles() {
            for folder in [folder, olderKeys].compactMap(\.self) { try? FileManager.default.removeItem(at: folder) }
            host.replace(with: SimulatedDisk())
        }

        /// Starts the database and all servers, unless they are running.
        func start() {
            if setup.isShared { openDatabase() }
            for server in servers { server.start() }
        }

        /// Starts a server that was killed with the keys that it had at first.
        func startWithOlderKeys(_ number: Int) {
            guard let olderKeys else { return }
            servers[number % servers.count].start(keys: olderKeys)
            olderKeysAt = SimulationExecutor.shared.now
        }

        /// Whether a server has started with older keys.
        var hasOlderKeys: Bool { olderKeysAt != nil }

        /// Whether a server may have signed a token with a key that has been retired since.
        func mayHaveOlderKeys(inLast time: Duration) -> Bool {
            // It runs for up to a minute.
            olderKeysAt.map { SimulationExecutor.shared.now - $0 <= time + .seconds(60) } ?? false
        }

        /// Whether the clock of a shared database jumps: servers that start later use it.
        var hasDatabaseClockJump: Bool { clocksThatJump.contains { $0 === host.clock && $0.hasJumped } }

        /// Whether all servers run, and reach the database.
        var isRunning: Bool { host.isOpen && servers.allSatisfy { $0.process != nil } }

        private func openDatabase() {
            guard !host.isOpen else { return }
            do {
                try host.open()
                reachableSince = SimulationExecutor.shared.now
            } catch {
                setup.journal.note("the database does not start: \(error)")
            }
        }

        /// Returns the time at which every server refuses the access tokens of a session that ended at `time`; `nil` if it
        /// is not known yet.
        func everyServerKnows(anEndAt time: Duration) -> Duration? {
            guard setup.findsEnds else { return time }
            return host.isOpen ? max(time, reachableSince) + propagation : nil
        }

        /// Kills the process of one server, or of all.
        func kill(_ number: Int? = nil) {
            for (index, server) in servers.enumerated() where number.map({ $0 % servers.count == index }) ?? true {
                server.kill()
            }
        }

        /// Cuts the power of the database's machine: the last commits that were not flushed may be lost.
        func cutPower() {
            if !setup.isShared { kill() }
            host.close()
            setup.trace?.rollBack()
            host.disk.cutPower(survivors: random.number(in: 0...host.disk.unflushedWrites))
        }

        /// The disk of an asynchronous standby that has received all commits so far, and receives no more; or of a backup.
        func standby() -> SimulatedDisk { host.disk.copy() }

        /// Whether the database has commits that a power failure may lose.
        var hasUnflushedCommits: Bool { !host.disk.isFlushed }

        /// The database's machine is lost, and its standby takes its place: later commits are lost, also those that were
        /// flushed.
        func promote(_ standby: SimulatedDisk) {
            standby.isFull = host.disk.isFull
            host.replace(with: standby)
            setup.trace?.promote()
        }

        /// Ends all servers and the database, whose files an operator replaces by those of a backup.
        func restore(_ backup: SimulatedDisk) {
            kill()
            host.close()
            promote(backup)
        }

        /// Sets the wall clock of a server, or of the machine of a shared database, forwards or backwards.
        func jumpClock(of number: Int, by offset: Duration) {
            clocksThatJump[number % clocksThatJump.count].jump(by: offset)
        }

        /// How far a clock that servers may have trusted has been ahead of the true time.
        var clockLead: Duration { clocksThatJump.map(\.trustedLead).max() ?? .zero }

        /// Rotates the keys of one kind by a command of an operator.
        func rotateKeys(_ number: Int) {
            guard let keys = servers.lazy.filter({ !$0.hasOlderKeys }).compactMap(\.process).first?.keys else { return }
            let kind = KeyKind.allCases[number % KeyKind.allCases.count]
            do {
                _ = try keys.rotate(kind, now: .simulated)
                setup.journal.note("the \(kind.rawValue) keys are rotated")
            } catch {
                setup.journal.note("the \(kind.rawValue) keys cannot be rotated now")
            }
        }

        /// Runs a command of an operator, in a process of its own.
        ///
        /// With one server, it uses the server's connection: each process with an open file learns of a failed flush.
        func administer<Value>(_ command: (AdminService) async throws -> Value) async throws -> Value {
            let clock: @Sendable () -> Timestamp = { [self] in commandTime }
            guard !setup.isShared else {
                let database = SharedDatabase(on: host, setup.databaseFaults)
                defer { database.kill() }
                return try await command(AdminService(database: database, clock: clock, authority: .command))
            }
            guard let process = servers[0].process else { throw ProcessEnded() }
            defer { process.scanSoon() }
            return try await command(AdminService(database: process.database, clock: clock, authority: .command))
        }

        /// The time of an operator's commands: that of the machine of a single server.
        var commandTime: Timestamp { setup.isShared ? .simulated : servers[0].clock.wall }

        /// Ends a session as a newer server does, for a reason that this version does not know.
        func endByNewerServer(_ session: SessionID, _ reason: EndReason) async throws {
            let database = SharedDatabase(on: host, setup.databaseFaults)
            defer { database.kill() }
            let now = Timestamp.simulated
            let hasEnded = try await database.durably { connection in
                guard let row = try SessionTable.find(session, in: connection), row.ending == nil else { return false }
                try connection.execute(
                    "UPDATE sessions SET ended_at = ?, reason = ? WHERE id = ?",
                    [now, reason.rawValue, session]
                )
                return true
            }
            if hasEnded { record(.ended([session], reason, at: now)) }
        }

        /// Passes on what a process without an observer has committed.
        func record(_ observation: SessionObservation) { for observer in setup.observers { observer(observation) } }

        func setDiskFull(_ isFull: Bool) { host.disk.isFull = isFull }

        /// Sets whether flushes fail; PostgreSQL ends its process then, which is the fault of another action.
        ///
        /// - Returns: Whether the database is one to which that can happen.
        @discardableResult
        func setFlushesFail(_ fail: Bool) -> Bool {
            guard !setup.isShared else { return false }
            host.disk.failsFlushes = fail
            return true
        }

        /// Answers a request by one of the processes that are running.
        func respond(to request: URLRequest, bodyDelay: Duration, bodyArrived: @escaping () -> Void) async throws
            -> (Data, HTTPURLResponse)
        {
            let running = servers.compactMap(\.process)
            guard !running.isEmpty else { throw ProcessEnded() }
            let process = running[running.count == 1 ? 0 : random.number(in: 0...running.count - 1)]
            return try await process.respond(to: request, bodyDelay: bodyDelay, bodyArrived: bodyArrived)
        }

        /// Opens a connection to one of the processes that are running; `nil` if none is.
        func openChannel() -> SimulatedChannel? {
            let running = servers.compactMap(\.process)
            guard !running.isEmpty else { return nil }
            return running[running.count == 1 ? 0 : random.number(in: 0...running.count - 1)].openChannel()
        }

        /// Returns the end of a session that the database has; `nil` if it has none, or cannot be read now.
        ///
        /// A server announces an end some steps after its commit, or never if it is killed between them.
        func storedEnd(of session: SessionID) -> EndReason? {
            guard host.isOpen else { return nil }
            return try? SessionTable.find(session, in: host.current())?.ending?.reason
        }

        /// Returns the generation of the newest token of which the servers know that its client has it; `nil` if the
        /// database has no such session, or cannot be read now.
        func provedGeneration(of session: String) -> UInt64? {
            guard host.isOpen, let id = SessionID(session) else { return nil }
            return try? SessionTable.find(id, in: host.current())?.rotation.current
        }

        /// Whether the database has the end of a session.
        func hasEnded(_ session: String) -> Bool { SessionID(session).flatMap(storedEnd) != nil }

        /// Ends all servers, and returns the IDs of the sessions that have not ended.
        func liveSessions() throws -> Set<String> {
            defer {
                kill()
                host.close()
            }
            host.disk.isFull = false
            host.disk.failsFlushes = false
            // Opening it again would read the whole WAL.
            try host.open()
            let live = "SELECT id FROM sessions WHERE ended_at IS NULL AND idle_end > ? AND absolute_end > ?"
            // The clocks of the servers may have run slower.
            let now = Timestamp.simulated + .seconds(10)
            return Set(try host.current().rows(live, [now, now]) { try $0[0] as SessionID }.map(\.description))
        }
    }
#endif
