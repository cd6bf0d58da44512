// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit

    extension History {
        /// The folder of the lock of the device with a foreign backend.
        private var foreignFolder: URL { template.folder.appendingPathExtension("foreign") }

        /// Creates the device with a foreign backend, if the plan has one, and signs its first user in.
        func startForeign() async {
            guard let plan = plan.foreign else { return }
            let backend = ForeignBackend(plan, seed: self.plan.seed, journal)
            network.foreign = backend.respond
            let device = ForeignDevice(backend, clock(ofMachine: 0), folder: foreignFolder)
            foreign = device
            report.foreign = ForeignReport(preset: plan.preset.rawValue)
            for number in 0..<plan.processes { startForeign(number, of: device) }
            await signInForeign(device, 0, as: "user0@example.com")
        }

        /// Ends the processes of the device, and removes its files.
        func endForeign() {
            guard let device = foreign else { return }
            report.foreign?.refreshes = device.ledger.exchanges.count
            for process in device.processes { process.kill() }
            device.processes = []
            device.record.didStore = nil
            device.ledger.isStoreAvailable = { false }
            device.ledger.isInUse = { _ in false }
            foreign = nil
            try? FileManager.default.removeItem(at: foreignFolder)
        }

        private func startForeign(_ number: Int, of device: ForeignDevice) {
            device.starts += 1
            let name = "foreign process \(number), start \(device.starts)"
            do {
                let process = try ForeignProcess(name, on: device, network: network)
                device.enter(process, at: number)
            } catch {
                journal.violation("no start: \(error)")
            }
        }

        // MARK: - Actions

        /// Performs an action of the device with a foreign backend.
        func perform(_ action: ForeignPlan.TimedAction) async {
            guard let device = foreign else { return }
            let size = action.size
            if action.kind != .outage { await device.clock.awake() }
            if let account = device.endedAccount {
                device.endedAccount = nil
                await signInForeign(device, action.process, as: account)
            }
            switch action.kind {
            case .read: await readForeign(device, action.process)
            case .refresh: await refreshForeign(device, action.process)
            case .callAll: await callAllForeign(device, size) {}
            case .killProcess: restartForeign(device, action.process)
            case .killDuringRefresh:
                async let refresh: Void = refreshForeign(device, action.process)
                // Most messages take some milliseconds.
                await pause(.milliseconds(size.isMultiple(of: 2) ? size / 10 : size * 10))
                restartForeign(device, action.process)
                await refresh
            case .signOut: await signOutForeign(device, action.process)
            case .switchAccount:
                await callAllForeign(device, size) {
                    await self.switchForeignAccount(device, action.process, size)
                }
            case .signInAgain:
                guard let account = device.account else { return }
                await signInForeign(device, action.process, as: account)
            case .signOutEverywhere: await signOutForeignEverywhere(device, action.process)
            case .revoke:
                guard let family = device.family else { return }
                journal.note("the user ends session \(family) at the backend")
                device.ledger.revoke(family)
            case .lockStore: await lockForeignStore(device, action.process, size)
            case .deviceClock:
                device.clock.offset += .seconds((size - 500) * 7000)
                journal.note("the clock of the foreign device is \(device.clock.offset) off")
            case .deviceSleep:
                await callAllForeign(device, size) {
                    device.clock.fallAsleep(for: .milliseconds(size * (size % 3 > 0 ? 60 : 10_000)))
                    self.journal.note("the foreign device sleeps for \(device.clock.sleepLeft.components.seconds) s")
                }
            case .disturb:
                let faults = ForeignBackend.Disturbance.allCases
                device.backend.disturbance = faults[size % faults.count]
                journal.note("the foreign backend has the fault \(faults[size % faults.count])")
                let end = SimulationExecutor.shared.now + .milliseconds(size * 60)
                // An app calls its API all the time.
                while device.backend.disturbance == .expiredTokens, SimulationExecutor.shared.now < end {
                    await readForeign(device, action.process)
                    await pause(.milliseconds(500))
                }
                await pause(end - SimulationExecutor.shared.now)
                device.backend.disturbance = nil
            case .slowBackend: await slowForeignBackend(device, action.process, size)
            case .outage: network.outageEnd = SimulationExecutor.shared.now + .milliseconds(size * 120)
            }
        }

        private func slowForeignBackend(_ device: ForeignDevice, _ process: Int, _ size: Int) async {
            journal.note("the foreign backend responds late")
            device.backend.isSlow = true
            // Later attempts present the token of an earlier one, whose response may still arrive.
            for _ in 0..<4 {
                await refreshForeign(device, process)
                await pause(.milliseconds(size * 20))
            }
            device.backend.isSlow = false
        }

        private func restartForeign(_ device: ForeignDevice, _ process: Int) {
            journal.note("\(device.processes[process].name) is killed, and starts again")
            startForeign(process, of: device)
        }

        private func lockForeignStore(_ device: ForeignDevice, _ process: Int, _ size: Int) async {
            // The response to a refresh that is under way cannot be stored.
            async let refresh: Void = refreshForeign(device, process)
            await pause(.milliseconds(size / 12))
            journal.note("the store of the foreign device cannot be \(size.isMultiple(of: 2) ? "read" : "written")")
            if size.isMultiple(of: 2) {
                device.record.readFault = SessionStoreError(.locked, "the device is locked")
            } else {
                device.record.writeFault = SessionStoreError(.failed, "the disk is full")
            }
            device.ledger.failStore()
            if size.isMultiple(of: 5) { restartForeign(device, process) }
            // Tokens that are not stored are presented, because the stored ones are used up.
            await refreshForeign(device, process)
            await refreshForeign(device, size % 3 == 0 ? size % device.processes.count : process)
            await pause(.milliseconds(size * 60))
            device.record.endFaults()
            await refresh
            checkSaved(await processesNotSaved(of: device))
        }

        // MARK: - Calls

        private func readForeign(_ device: ForeignDevice, _ process: Int) async {
            await attempt(device, process, "read") { session in
                guard let url = URL(string: ForeignProcess.baseURL + ForeignBackend.apiPath) else { return }
                var request = URLRequest(url: url)
                request.setValue("foreign \(self.report.calls)", forHTTPHeaderField: TokenLedger.callField)
                let (data, response) = try await session.data(for: request)
                guard response.statusCode == 200, data.starts(with: Data("{".utf8)) else {
                    throw URLError(.badServerResponse)
                }
            }
        }

        private func refreshForeign(_ device: ForeignDevice, _ process: Int) async {
            await attempt(device, process, "refresh") { try await $0.refresh() }
        }

        /// Runs `change` while calls of all processes of a device are under way.
        private func callAllForeign(_ device: ForeignDevice, _ size: Int, _ change: @escaping () async -> Void) async {
            await withTaskGroup { group in
                for index in device.processes.indices {
                    group.addTask { [self] in
                        if (size + index) % 2 == 0 { await refreshForeign(device, index) }
                        await readForeign(device, index)
                    }
                }
                await pause(.milliseconds(size.isMultiple(of: 2) ? size / 10 : size / 3))
                await change()
            }
        }

        /// Runs a call of a process; each must be answered.
        @discardableResult
        func attempt(
            _ device: ForeignDevice,
            _ process: Int,
            _ action: String,
            _ body: (AuthSession) async throws -> Void
        ) async -> Bool {
            report.calls += 1
            let start = SimulationExecutor.shared.now
            let process = device.processes[process]
            defer {
                report.answers += 1
                checkTime(of: action, process.name, on: device, since: start)
            }
            do {
                try await body(process.session)
                report.successes += 1
                journal.note("\(action) of \(process.name): done")
                return true
            } catch {
                journal.note("\(action) of \(process.name): \(error)")
                return false
            }
        }
    }
#endif
