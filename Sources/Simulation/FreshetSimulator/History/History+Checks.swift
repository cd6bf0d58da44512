// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit

    extension History {
        /// Unless the user changes the account, no process may show a login screen without a true reason.
        func checkSignedIn() {
            for device in devices {
                guard let account = device.account else { continue }
                for process in device.processes { check(process, of: device, account) }
            }
        }

        private func check(_ process: SimulatedProcess, of device: Device, _ account: String) {
            let status = process.session.status
            if let email = status.email, email != account, device.signInsUnderWay == 0 {
                journal.violation("\(process.name) is signed in as \(email), and not as \(account)")
            }
            switch process.session.state {
            case .signedOut(let reason):
                if let reason, isTrue(reason, on: device) {
                    journal.note("\(process.name) is signed out by \(reason), as expected")
                    device.account = nil
                    device.endedAccount = account
                    return
                }
                journal.violation("\(process.name) is signed out: \(reason.map { "\($0)" } ?? "no reason")")
            case .recordUnusable(let error) where error.kind == .locked || error.kind == .failed: break
            case .recordUnusable(let error): journal.violation("\(process.name) has an unusable record: \(error)")
            case .unknown, .active, .refreshing, .offline, .ending: break
            }
        }

        /// With everything working, every process recovers.
        func recover() async {
            network.hasFaults = false
            backend.endFaults()
            sockets?.hasFaults = false
            resources?.hasFaults = false
            network.outageEnd = .zero
            backend.start()
            journal.note("everything works from now on")
            for device in devices {
                device.record.slowness = nil
                await device.clock.awake()
            }
            await foreign?.clock.awake()
            await pause(plan.recovery)
            for device in devices {
                checkSaved(device.processes)
                // A process that could not read its store reads it when the app is used.
                for process in device.processes { await process.session.reload() }
            }
            await pause(.seconds(120))
            await recoverOlderClients()
            await checkSignedOut()
            for device in devices {
                if device.hasPendingLogout { journal.violation("\(device.name) has not delivered a sign-out") }
                for index in device.processes.indices where device.account != nil {
                    var isRecovered = await attempt(device, index, "refresh") { try await $0.refresh() }
                    // The servers accept the access tokens that they issue.
                    if isRecovered { isRecovered = await read(device, index) }
                    checkSignedIn()
                    // The access tokens of a session that is about to expire are short-lived.
                    let isExpiring = device.session.map { ledger.expiries.mayHaveExpired($0.id) } ?? false
                    if isRecovered, !isExpiring { checkActive(device.processes[index]) }
                    if !isRecovered, device.account != nil {
                        if device.rolledBackAt != nil, thieves.contains(where: { $0.session == device.adopted }) {
                            report.limits[.unreported, default: 0] += 1
                            continue
                        }
                        if plan.servers > 1, let session = device.session?.id, lostEnds.contains(session) {
                            report.limits[.lostEnd, default: 0] += 1
                            continue
                        }
                        if isExpiring { continue }
                        journal.violation("\(device.processes[index].name) does not recover")
                    }
                }
            }
            // A socket learns of its session's end a moment later.
            await pause(.seconds(2))
            await checkConfirmed()
            checkSockets()
            await checkOutboxes()
            if plan.app == nil { checkTheft() } else { await checkServedTheft() }
            await checkSignIns()
        }

        /// A user who is signed out can sign in.
        private func checkSignIns() async {
            for device in devices where device.account == nil {
                guard !plan.hasProductionLimits, let account = device.chosenAccount else { continue }
                await signIn(device, 0, as: account)
                guard await attempt(device, 0, "refresh", { try await $0.refresh() }), await read(device, 0) else {
                    journal.violation("\(device.name) cannot use its session of a last sign-in")
                    continue
                }
            }
            // A sign-in signs out the session that it replaces, as of a sign-out that a power failure undid.
            await pause(.seconds(60))
        }

        /// A device without a session shows a login screen.
        private func checkSignedOut() async {
            for device in devices where device.account == nil && device.session == nil {
                for process in device.processes {
                    await process.session.reload()
                    guard device.session == nil, process.session.state.isSignedIn else { continue }
                    journal.violation("\(process.name) is \(process.session.state) without a session")
                }
            }
        }

        /// A process whose calls have succeeded shows that its user is signed in, and online.
        private func checkActive(_ process: SimulatedProcess) {
            guard ![.active, .refreshing].contains(process.session.state) else { return }
            journal.violation("\(process.name) is \(process.session.state) after a refresh and a call")
        }

        /// A process stores its tokens and its sign-out once the store is available again.
        func checkSaved(_ processes: [some AppProcess]) {
            for process in processes where !process.session.status.isSaved {
                journal.violation("\(process.name) has not stored its tokens, or its sign-out")
            }
        }

        /// Returns the processes that have not stored their tokens within two minutes after the end of a store's fault.
        ///
        /// - Returns: Those that still run; none if the store has become unavailable again.
        func processesNotSaved<Device: AppDevice>(of device: Device) async -> [Device.Process] {
            device.storeFaults += 1
            let faults = device.storeFaults
            // A device that sleeps stores nothing, and with a slow store each process waits for the others.
            let limit = Duration.seconds(120)
            repeat {
                await pause(limit)
            } while device.clock.wasAsleep(inLast: limit) || device.record.wasSlow(inLast: limit)
            // A process that is storing now has stored a second later.
            let unsaved = device.processes.filter { !$0.session.status.isSaved }
            await pause(.seconds(1))
            guard device.storeFaults == faults, device.record.isAvailable else { return [] }
            return unsaved.filter { process in device.processes.contains { $0 === process } }
        }

        /// A theft is noticed at the owner's next refresh at the latest.
        private func checkTheft() {
            for device in devices where device.account != nil {
                guard let id = device.session?.id, ledger.wasSplit(id, countingLosses: true) else { continue }
                guard ledger.wasSplit(id) else {
                    report.limits[.lostTrace, default: 0] += 1
                    continue
                }
                journal.violation("the theft of session \(id) is not noticed")
            }
        }

        /// The sessions that the devices have.
        var currentSessions: Set<String> { Set(devices.compactMap { $0.session?.id }) }

        /// Every session that a device has signed out of has ended at the server.
        func checkLiveSessions() {
            do {
                let (live, current) = (try backend.liveSessions(), currentSessions)
                checkEndedOAuthSessions(live)
                for id in live where !current.contains(id) {
                    guard adopted.contains(id) || ledger.receivedSessions.contains(id) else { continue }
                    journal.violation("session \(id) is alive after its sign-out")
                }
            } catch {
                journal.violation("the database cannot be read: \(error)")
            }
        }
    }
#endif
