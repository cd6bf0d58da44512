// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit
    import FreshetWire

    extension History {
        /// Performs an action of the plan.
        func perform(_ action: Action) async {
            let device = devices[action.device]
            let size = action.size
            // A user wakes the device up first.
            if action.kind.usesDevice { await device.clock.awake() }
            if let account = device.endedAccount.take() { await signIn(device, action.process, as: account) }
            switch action.kind {
            case .read: await read(device, action.process)
            case .write: await write(device, action.process)
            case .refresh: await attempt(device, action.process, "refresh") { try await $0.refresh() }
            case .killProcess:
                journal.note("\(device.processes[action.process].name) is killed, and starts again")
                start(action.process, on: device)
            case .switchAccount:
                await duringCalls(of: device, size) { await self.switchAccount(device, action.process, size) }
            case .signOut: await signOut(device, action.process)
            case .signInAgain:
                guard let account = device.account else { return }
                await signIn(device, action.process, as: account)
            case .signOutEverywhere:
                await duringCalls(of: device, size) { await self.signOutEverywhere(device, action.process) }
            case .endOtherSession:
                guard let other = devices.first(where: { $0 !== device }) else { return }
                await duringCalls(of: other, size) { await self.endSession(of: other, from: device, action.process) }
            case .steal: await steal(device, size)
            case .killServer:
                journal.note("a server is killed")
                backend.kill(size)
                await restartServer(after: .milliseconds(size * 10))
            case .cutPower: await cutPower(size)
            case .promoteStandby: await promoteStandby(size)
            case .restoreDatabase: await restoreDatabase(size)
            case .serverClock:
                let offset = Duration.seconds((size - 500) * 7000)
                journal.note("a server's clock jumps by \(offset)")
                backend.jumpClock(of: size, by: offset)
                // A clock that runs evenly for an hour is trusted.
                await pause(.seconds(size * 3))
                backend.jumpClock(of: size, by: .zero - offset)
            case .deviceClock:
                device.clock.offset += .seconds((size - 500) * 7000)
                journal.note("the clock of \(device.name) is \(device.clock.offset) off")
            case .deviceSleep, .slowStore: await performDeviceAction(action)
            case .rotateKeys: backend.rotateKeys(size)
            case .staleKeys: await startWithOlderKeys(size)
            case .claimAddress:
                await duringCalls(of: device, size) { await self.claimAddress(of: device, size) }
            case .diskFull where action.failsFlushes && backend.setFlushesFail(true):
                journal.note("the server's disk fails to flush")
                await pause(.milliseconds(size * 60))
                backend.setFlushesFail(false)
            case .diskFull:
                journal.note("the server's disk is full")
                backend.setDiskFull(true)
                await pause(.milliseconds(size * 60))
                backend.setDiskFull(false)
            case .lockStore: await lockStore(device, action.process, size)
            case .restoreBackup: restoreBackup(of: device, size)
            case .updateApp: await updateApp(device, action.process, size)
            case .rollBackApp: await rollBackApp(device, action.process)
            case .outage where size.isMultiple(of: 4): await callDuringOutage(device, action.process)
            case .outage: network.outageEnd = SimulationExecutor.shared.now + .milliseconds(size * 120)
            case .overlapSignIns: await overlapSignIns(device, action.process, size)
            case .endByOperator:
                await duringCalls(of: device, size) { await self.endByOperator(device) }
            case .disableAccount: await disableAccount(device, size)
            case .deleteAccount:
                await duringCalls(of: device, size) { await self.deleteAccount(device) }
            case .enqueue, .enqueueAndKill, .enqueueOffline, .handleDeadLetters, .stopApplicationServer:
                await performOutboxAction(action)
            case .updateClient:
                updateClient(device)
                await attempt(device, action.process, "refresh") { try await $0.refresh() }
            case .rollBackClient: rollBackClient(device, action.device)
            case .cutDevicePower, .killDuringWrite: await performDeviceAction(action)
            }
        }

        private func lockStore(_ device: Device, _ process: Int, _ size: Int) async {
            switch size % 8 {
            case 0:
                // The sign-out is pending when the store is locked.
                network.outageEnd = max(network.outageEnd, SimulationExecutor.shared.now + .seconds(30))
                await signOut(device, process)
            case 3, 7: await endSession(of: device, from: devices.first { $0 !== device })
            default: break
            }
            // The response to a refresh that is under way cannot be stored.
            async let refresh: Void = refreshIf(size % 4 == 1, device, process)
            if size % 4 == 1 { await pause(.milliseconds(size / 12)) }
            failStore(of: device, isReadable: !size.isMultiple(of: 2))
            // Processes start, and learn that their session has ended, on a locked device, too.
            if size.isMultiple(of: 8) {
                for index in device.processes.indices { start(index, on: device) }
            } else if size.isMultiple(of: 4) {
                start(process, on: device)
            } else {
                await attempt(device, process, "refresh") { try await $0.refresh() }
                // Tokens that are not stored are used for calls, and not presented.
                await attempt(device, process, "refresh") { try await $0.refresh() }
            }
            await pause(.milliseconds(size * 60))
            device.record.endFaults()
            await refresh
            checkSaved(await processesNotSaved(of: device))
        }

        /// The store of a device is locked from now on, or takes no writes.
        func failStore(of device: Device, isReadable: Bool) {
            journal.note("the store of \(device.name) cannot be \(isReadable ? "written" : "read")")
            if isReadable {
                device.record.writeFault = SessionStoreError(.failed, "the disk is full")
            } else {
                device.record.readFault = SessionStoreError(.locked, "the device is locked")
            }
            ledger.exchanges.failStore(
                of: device.processes.map(\.name),
                isSlow: device.record.wasSlow,
                wasStored: device.hasStored
            )
        }

        private func refreshIf(_ condition: Bool, _ device: Device, _ process: Int) async {
            if condition { await attempt(device, process, "refresh") { try await $0.refresh() } }
        }

        /// The device gets a record that it stored earlier, and its processes start again.
        private func restoreBackup(of device: Device, _ size: Int) {
            let versions = device.record.versions
            // An app without intents cannot report a token of the record that is older than the confirmed generation.
            guard !versions.isEmpty, device.rolledBackAt == nil else { return }
            let account = device.account ?? device.chosenAccount
            // No sign-in that is under way succeeds, and sign-outs that were pending are forgotten.
            device.signIns += 1
            device.signedInBy = nil
            let forgotten = device.hasPendingLogout ? Array(device.accounts.keys) : []
            for process in device.processes { process.kill() }
            device.clock.boot()
            device.record.revert(to: versions[size % versions.count].record)
            device.files?.restore(device.record.record)
            journal.note("\(device.name) gets its record number \(size % versions.count) back, of \(versions.count)")
            for index in device.processes.indices { start(index, on: device) }
            // The session that it had is not signed out, and the other one may have ended in any way.
            adopted.subtract(forgotten + (device.adopted.map { [$0] } ?? []))
            ledger.receivedSessions.forget(except: currentSessions)
            if let id = device.session?.id, device.accounts[id] != nil, !lostEnds.contains(id) { adopted.insert(id) }
            if let id = device.session?.id { expectedEnds.expectEnd(ofRestored: id) }
            device.signedOut = []
            device.adopted = device.session?.id
            device.account = device.session.flatMap { device.accounts[$0.id] }
            device.endedAccount = device.account == nil ? account : nil
        }

        // MARK: - Calls

        @discardableResult
        func read(_ device: Device, _ process: Int) async -> Bool {
            await attempt(device, process, "read") { session in
                let (data, response) = try await session.data(for: try self.request(NativePath.me))
                guard response.statusCode == 200 else { throw URLError(.badServerResponse) }
                _ = try JSONDecoder().decode(Me.self, from: data)
            }
        }

        private func write(_ device: Device, _ process: Int) async {
            await attempt(device, process, "write") { session in
                var request = try self.request(NativePath.profile)
                request.httpMethod = "PUT"
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                request.httpBody = Data(#"{"given_name":"Ann"}"#.utf8)
                let (_, response) = try await session.data(for: request)
                guard response.statusCode == 200 else { throw URLError(.badServerResponse) }
            }
        }

        private func request(_ path: String) throws -> URLRequest {
            guard let url = URL(string: SimulatedProcess.baseURL + path) else { throw URLError(.badURL) }
            var request = URLRequest(url: url)
            request.setValue("\(report.calls)", forHTTPHeaderField: TokenLedger.callField)
            return request
        }

        /// Runs a call of a process; each must be answered.
        @discardableResult
        func attempt(
            _ device: Device,
            _ process: Int,
            _ action: String,
            _ body: (AuthSession) async throws -> Void
        ) async -> Bool {
            report.calls += 1
            let process = device.processes[process]
            let (start, sent) = (SimulationExecutor.shared.now, process.transport.refreshes)
            defer {
                report.answers += 1
                checkTime(of: action, process.name, on: device, since: start)
            }
            do {
                try await body(process.session)
                // Its caller has ended, too.
                if process.isKilled { throw URLError(.cancelled) }
                report.successes += 1
                journal.note("\(action) of \(process.name): done")
                return true
            } catch {
                journal.note("\(action) of \(process.name): \(error)")
                if action == "read" { checkAttempted(process, of: device, error, since: start, sent: sent) }
                return false
            }
        }

        /// Checks that a caller is answered soon, unless the device slept, or its store was slow.
        func checkTime(of action: String, _ process: String, on device: some AppDevice, since start: Duration) {
            let time = SimulationExecutor.shared.now - start
            guard time > Self.longestCall, !device.clock.wasAsleep(inLast: time), !device.record.wasSlow(inLast: time)
            else { return }
            journal.violation("\(action) of \(process) was answered after \(time.components.seconds) s")
        }

        /// The time in which a caller is answered: requests have timeouts, and a call waits for few of them.
        private static var longestCall: Duration { .seconds(300) }

        // MARK: - Sessions

        /// Runs `change` while calls of all processes of a device are under way.
        func duringCalls(of device: Device, _ size: Int, _ change: @escaping () async -> Void) async {
            await withTaskGroup { group in
                for index in device.processes.indices where !device.clock.isAsleep {
                    group.addTask { [self] in
                        switch (size + index) % 3 {
                        case 0: await read(device, index)
                        case 1: await write(device, index)
                        default: await attempt(device, index, "refresh") { try await $0.refresh() }
                        }
                    }
                }
                // Most messages take some milliseconds.
                await pause(.milliseconds(size.isMultiple(of: 2) ? size / 10 : size / 3))
                await change()
            }
        }

        private func switchAccount(_ device: Device, _ process: Int, _ size: Int) async {
            guard let account = device.account else { return }
            let keepsAccount: Bool
            switch size % 4 {
            case 0:
                // The sign-out reaches the server after the next sign-in, which may bring the same session.
                network.outageEnd = max(network.outageEnd, SimulationExecutor.shared.now + .milliseconds(100))
                keepsAccount = true
            case 1:
                // The calls under way get 401.
                await endSession(of: device, from: devices.first { $0 !== device })
                keepsAccount = false
            case 2:
                // The refreshes under way fail after the next sign-in.
                network.refreshOutageEnd = SimulationExecutor.shared.now + .seconds(60)
                keepsAccount = false
            default: keepsAccount = signIns.keepsAccount()
            }
            guard device.account == account else { return }
            let number = device.signIns
            device.account = nil
            await signOutOnce(device, process)
            await pause(.milliseconds(size / 5))
            if size.isMultiple(of: 8) {
                // The sign-out is sent again during the sign-in.
                await pause(.milliseconds(8000 + size * 5))
                network.chosenFate = SimulatedNetwork.ChosenFate(
                    paths: [NativePath.loginCodeVerify],
                    replyDelay: .milliseconds(2000 + size * 7)
                )
            }
            // Another sign-in of the device began in the meantime, or it was restored.
            guard device.signIns == number else { return }
            await signIn(device, process, as: keepsAccount ? account : signIns.nextAccount())
        }

        /// The user signs in before the response to another sign-in, or to a sign-out everywhere, has arrived.
        private func overlapSignIns(_ device: Device, _ process: Int, _ size: Int) async {
            guard let account = device.account else { return }
            network.slowEnd = SimulationExecutor.shared.now + .milliseconds(size)
            // The same code may bring the session that the sign-out everywhere ends.
            device.code = nil
            // The response to the first sign-in arrives within its timeout, often after the second one.
            if size.isMultiple(of: 2) {
                network.chosenFate = SimulatedNetwork.ChosenFate(
                    paths: [NativePath.loginPassword, NativePath.loginCodeVerify, NativePath.signup],
                    replyDelay: .milliseconds(1000 + size * 8)
                )
            }
            async let first: Void = beginOverlap(device, process, account, size)
            // Messages on a slow way take up to half a minute.
            await pause(.milliseconds(size.isMultiple(of: 3) ? size * 5 : size / 12))
            await signIn(device, process, as: size.isMultiple(of: 5) ? account : signIns.nextAccount())
            await first
        }

        private func beginOverlap(_ device: Device, _ process: Int, _ account: String, _ size: Int) async {
            switch size % 4 {
            case 0: await signIn(device, process, as: signIns.nextAccount())
            case 2: await signIn(device, process, as: account)
            default: await signOutEverywhere(device, process)
            }
        }

        /// The user signs out, and in again at the device's next action.
        private func signOut(_ device: Device, _ process: Int) async {
            guard let account = device.account else { return }
            let number = device.signIns
            device.account = nil
            await signOutOnce(device, process)
            if device.signIns == number { device.endedAccount = account }
        }

        private func signOutOnce(_ device: Device, _ process: Int) async {
            let target = device.processes[process]
            target.signOutsBegun += 1
            let number = target.signOutsBegun
            let (session, signIns) = (currentSession(of: target, device), device.signIns)
            let isDone = await attempt(device, process, "sign-out") { try await $0.signOut() }
            target.lastSignOut = max(target.lastSignOut, number)
            if isDone, let session, device.signIns == signIns { device.signedOut(of: session, journal) }
        }

        /// Returns the stored session of a device, if a process has it, too.
        private func currentSession(of process: SimulatedProcess, _ device: Device) -> String? {
            let status = process.session.status
            guard status.state.isSignedIn, let id = device.session?.id, status.sessionID ?? id == id else { return nil }
            return id
        }

        private func signOutEverywhere(_ device: Device, _ process: Int) async {
            guard let account = device.account, signsOutEverywhere(device) else { return }
            let end = expectedEnds.begin(.logoutAll, of: account)
            let number = device.signIns
            device.account = nil
            let session = currentSession(of: device.processes[process], device)
            let isDone = await attempt(device, process, "sign-out everywhere") { try await $0.signOutEverywhere() }
            // A repetition of the request arrives later, and is served until its access token expires.
            let last = SimulationExecutor.shared.now + plan.accessLifetime + .seconds(60)
            expectedEnds.finish(end, of: account, at: last)
            if isDone, let session, device.signIns == number { device.signedOut(of: session, journal) }
            guard device.signIns == number else { return }
            // A process that ended while it removed the session returns no success.
            let isRemoved = device.session == nil
            if isDone || isRemoved || device.processes[process].session.state == .signedOut(.requested) {
                await signIn(device, process, as: account)
            } else {
                device.account = account
            }
        }

        /// The user ends a device's session from another device.
        private func endSession(of other: Device?, from device: Device?, _ process: Int = 0) async {
            guard let device, let other, let account = device.account, other.account == account else { return }
            // The served contracts have no list of sessions.
            guard device.isNative else { return }
            guard let id = other.session?.id else { return }
            expectedEnds.expect([.revokedByUser], of: id)
            await attempt(device, process, "end of a session of \(other.name)") { try await $0.endSession(id: id) }
        }

        private func steal(_ device: Device, _ size: Int) async {
            if size % 6 == 5 { return await flood(device) }
            let name = "thief \(thieves.count)"
            guard let thief = try? Thief(from: device, network, name: name, size: size) else { return }
            thieves.append(thief)
            for _ in 0...size % 3 {
                await pause(.milliseconds(size * 1500))
                await thief.act()
            }
        }
    }
#endif
