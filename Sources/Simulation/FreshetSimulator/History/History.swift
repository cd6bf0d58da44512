// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FreshetKit
    import SeededRandom
    import SimulatedFiles

    /// One history: devices, a network and a server that execute a plan.
    ///
    /// Sessions, server, SQL and SQLite are the real ones; `docs/reliability.md` lists what is replaced.
    package final class History: @unchecked Sendable {
        let journal: Journal
        let plan: HistoryPlan
        let backend: Backend
        let ledger: TokenLedger
        let network: SimulatedNetwork
        let template: ServerTemplate
        /// The WebSockets; `nil` if the app has none.
        let sockets: SimulatedSockets?
        /// The resource server; `nil` without one.
        let resources: ResourceServer?
        /// The application server, to which outboxes send.
        let orders: OrderService
        var devices: [Device] = []
        var thieves: [Thief] = []
        /// The device with a foreign backend; `nil` without one.
        var foreign: ForeignDevice?
        /// The device with an OAuth library; `nil` without one.
        var oauth: OAuthDevice?
        /// The other holders of its tokens.
        var oauthThieves: [OAuthThief] = []
        var report = HistoryReport()
        var signIns: SignInCounters
        /// The times that accesses to slow stores take.
        var storeDelays: SeededRandomStream
        /// The sessions that a device has adopted.
        var adopted: Set<String> = []
        /// The times whose commits a promoted standby or a restored backup has lost.
        var lostTimes: [Range<Duration>] = []
        /// The sessions whose ends a promoted standby has lost.
        var lostEnds: Set<String> { ledger.lostEnds }
        /// The accounts that an operator has disabled, and enabled since.
        var disabledAccounts: Set<String> = []
        /// The commands that enable an account: how many began, and how many are running.
        var enablings = (started: 0, running: 0)
        /// The ends of sessions that users, operators and the owners of addresses have caused.
        var expectedEnds = ExpectedEnds()
        /// The addresses whose owners prove, or have proved, that they are theirs.
        var claims: Set<String> = []
        /// Those of which the proof is done: their accounts have no passwords.
        var claimed: Set<String> = []
        private var isOver = false

        /// The server data from which all histories start; created by the first one.
        nonisolated(unsafe) private static let template = Result { try ServerTemplate() }

        /// Prepares what all histories share; must be called outside a history.
        package static func prepare() throws { _ = try template.get() }

        /// Removes the files that all histories share.
        package static func cleanUp() { try? template.get().remove() }

        /// Runs a plan.
        ///
        /// - Parameters:
        ///   - plan: The plan; equal plans give equal histories.
        ///   - file: The text before the seed in the trace: the file of a stored plan, or empty.
        ///   - print: Receives a line for each event.
        ///   - trace: Receives the lines of a trace for `Models/trace.py`.
        /// - Returns: The history's figures, and the invariants that it violated.
        /// - Throws: An error of the preparation.
        package static func run(
            _ plan: HistoryPlan,
            from file: String = "",
            print: ((String) -> Void)? = nil,
            trace: ((String) -> Void)? = nil
        ) throws -> HistoryReport {
            let template = try template.get()
            SimulationExecutor.shared.start(seed: plan.seed, tasksPerDelay: plan.tasksPerDelay)
            defer { SimulationExecutor.shared.end() }
            let writer = trace.map { TraceWriter(history: file + "\(plan.seed)", write: $0) }
            return History(plan, template, print, writer).run()
        }

        private init(
            _ plan: HistoryPlan,
            _ template: ServerTemplate,
            _ print: ((String) -> Void)?,
            _ trace: TraceWriter?
        ) {
            self.plan = plan
            self.template = template
            journal = Journal(print: print)
            ledger = TokenLedger(plan, journal)
            backend = Backend(template, plan, journal: journal, trace: trace, exchanges: ledger.exchanges)
            ledger.everyServerKnows = backend.everyServerKnows
            ledger.expiries.clockLead = { [backend] in backend.clockLead }
            network = SimulatedNetwork(seed: plan.seed, faults: plan.faults, journal, ledger, backend: backend)
            orders = OrderService(seed: plan.seed, backend, OrderLedger(journal))
            network.orders = orders
            resources =
                plan.hasResourceServer ? ResourceServer(seed: plan.seed, backend, ledger, journal) : nil
            network.trace = trace
            network.gateway = Gateway(plan)
            network.newerServers = NewerServers(plan)
            network.olderServers = OlderServers(plan)
            sockets = plan.hasSockets ? SimulatedSockets(seed: plan.seed, journal, ledger) : nil
            signIns = SignInCounters(seed: plan.seed)
            storeDelays = SeededRandomStream(seed: plan.seed, device: 0, matter: 112)
            report.app = plan.app?.rawValue
            report.hasFileStores = plan.hasFileStores
        }

        private func run() -> HistoryReport {
            let executor = SimulationExecutor.shared
            backend.start()
            resources?.start()
            Task { await live() }
            executor.run(until: .seconds(30 * 86_400)) { isOver }
            if !isOver { journal.violation("callers were not answered: \(report.calls - report.answers)") }
            checkLiveSessions()
            for device in devices {
                report.lossyDevicePowerCuts += device.files?.lossyPowerCuts ?? 0
                for process in device.processes { process.kill() }
                // A process has its device's clock.
                device.processes = []
            }
            for thief in thieves { thief.end() }
            resources?.end()
            endForeign()
            endOAuth()
            backend.kill()
            devices = []
            thieves = []
            // Tasks of killed processes end by themselves, at the latest when their sessions do; late repetitions arrive.
            executor.run(until: .seconds(800 * 86_400))
            backend.connections?.checkEnds()
            backend.removeFiles()
            report.steps = executor.steps
            report.faults = network.counts
            report.slowMessages = network.slowMessages
            report.expiredSessions = ledger.expiries.expired
            report.parts = plan.parts
            report.databaseFaults = backend.databaseFaults
            report.connections = backend.connections.map(ConnectionCounts.init)
            report.resources = resources?.counts
            report.sockets = sockets.map(SocketCounts.init)
            report.throttled = network.throttled.byServers
            report.unknownErrors = network.newerServers?.errors ?? 0
            report.throttledByGateway = network.throttled.byGateway
            report.fingerprint = journal.fingerprint
            report.violations = journal.violations
            return report
        }

        private func live() async {
            for (index, count) in plan.processes.enumerated() {
                let device = Device("device \(index)", clock: clock(ofMachine: index + 1))
                if let app = plan.app { device.contract = app.contract }
                device.sockets = sockets
                if plan.hasFileStores || plan.hasOutbox {
                    let random = SeededRandomStream(seed: plan.seed, device: index + 1, matter: 30)
                    let volume = SimulatedVolume(folder: DeviceFiles.home, random: random)
                    device.volume = volume
                    if plan.hasFileStores {
                        device.files = DeviceFiles(device.name, device.record, on: volume, journal)
                    }
                    if plan.hasOutbox { device.outboxFolder = "\(DeviceFiles.home)/.local/share/app/outbox" }
                }
                if plan.olderClients.indices.contains(index) { device.olderClient = plan.olderClients[index] }
                device.observeRecords(journal, ledger.exchanges, network.trace)
                devices.append(device)
                for number in 0..<count { start(number, on: device) }
                await signIn(device, 0, as: "user0@example.com")
            }
            await startForeign()
            await startOAuth()
            let start = SimulationExecutor.shared.now
            await withTaskGroup { group in
                for planned in plan.actions {
                    group.addTask { [self] in
                        await pause(start + planned.time - SimulationExecutor.shared.now)
                        report.actions[planned.action.kind, default: 0] += 1
                        await perform(planned.action)
                        checkSignedIn()
                    }
                }
                for action in plan.oauth?.actions ?? [] {
                    group.addTask { [self] in
                        await pause(start + .milliseconds(action.time) - SimulationExecutor.shared.now)
                        await perform(action)
                    }
                }
                for action in plan.foreign?.actions ?? [] {
                    group.addTask { [self] in
                        await pause(start + .milliseconds(action.time) - SimulationExecutor.shared.now)
                        await perform(action)
                        checkForeign()
                    }
                }
            }
            await recover()
            await recoverForeign()
            await recoverOAuth()
            // Idle connections are closed by then.
            if plan.usesConnections { await pause(.seconds(80)) }
            isOver = true
        }

        /// Starts a process of a device, in place of the one before.
        func start(_ number: Int, on device: Device) {
            // It would not be told of a sign-in that comes between its first look at the store and its start.
            let slowness = device.record.slowness.take()
            defer { device.record.slowness = slowness }
            do {
                let process = try SimulatedProcess("\(device.name) process \(number)", on: device, network: network)
                device.enter(process, at: number)
            } catch {
                journal.violation("no start: \(error)")
            }
        }

        /// Returns the clocks of a new device.
        func clock(ofMachine number: Int) -> DeviceClock { DeviceClock(Oscillator(plan, machine: number)) }

        func pause(_ duration: Duration) async {
            await withCheckedContinuation { continuation in
                SimulationExecutor.shared.schedule(after: max(duration, .zero)) { continuation.resume() }
            }
        }
    }
#endif
