// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit
    import FreshetOutbox
    import SimulatedFiles

    extension History {
        // MARK: - Actions

        /// Performs an action that concerns outboxes.
        func performOutboxAction(_ action: Action) async {
            let device = devices[action.device]
            let size = action.size
            switch action.kind {
            case .enqueue:
                for number in 0...size % 3 {
                    await enqueue(device, action.process, size + number)
                    await pause(.milliseconds(size / 4))
                }
            case .enqueueAndKill where size.isMultiple(of: 5): await enqueueLocked(device, action.process, size)
            case .enqueueAndKill:
                await withTaskGroup { group in
                    for number in 0...size % 2 {
                        group.addTask { [self] in await enqueue(device, action.process, size + number) }
                    }
                    await pause(.microseconds(size * (size.isMultiple(of: 2) ? 20 : 400)))
                    journal.note(
                        "\(device.processes[action.process].name) is killed while it enqueues, and starts again"
                    )
                    start(action.process, on: device)
                }
            case .enqueueOffline:
                network.outageEnd = max(network.outageEnd, SimulationExecutor.shared.now + .milliseconds(size * 60))
                for number in 0...2 { await enqueue(device, action.process, size + number) }
                if size.isMultiple(of: 2) { start(action.process, on: device) }
            case .handleDeadLetters: await handleDeadLetters(device, action.process, size)
            case .stopApplicationServer where size.isMultiple(of: 3):
                await refuseTokens(device, action.process, size)
            case .stopApplicationServer:
                if size.isMultiple(of: 2) {
                    journal.note("the application server is killed")
                    orders.kill()
                    await pause(.milliseconds(size * 20))
                    orders.start()
                } else {
                    journal.note("the application server answers 503")
                    orders.outageEnd = SimulationExecutor.shared.now + .milliseconds(size * 120)
                }
            default: break
            }
        }

        /// A process that has never read its session enqueues while the device is locked.
        private func enqueueLocked(_ device: Device, _ process: Int, _ size: Int) async {
            failStore(of: device, isReadable: false)
            start(process, on: device)
            await enqueue(device, process, size)
            await enqueue(device, process, size + 1)
            await pause(.milliseconds(size))
            device.record.endFaults()
            checkSaved(await processesNotSaved(of: device))
        }

        /// The application server refuses all access tokens for some seconds, and the token server accepts them.
        private func refuseTokens(_ device: Device, _ number: Int, _ size: Int) async {
            journal.note("the application server refuses all access tokens")
            let end = SimulationExecutor.shared.now + .milliseconds(size * 60)
            orders.refusalEnd = max(orders.refusalEnd, end)
            await enqueue(device, number, size + 1)
            // No refusal is on its way after that.
            await pause(end + .seconds(75) - SimulationExecutor.shared.now)
            for process in device.processes {
                guard let index = device.processes.firstIndex(where: { $0 === process }) else { continue }
                let before = process.session.status
                let isAccepted = await read(device, index)
                await pause(.seconds(5))
                let after = process.session.status
                guard isAccepted, plan.servers == 1, !process.isKilled, device.record.isAvailable,
                    after.state.isSignedIn, before.userID == after.userID,
                    !device.record.wasSlow(inLast: .seconds(30)), !device.clock.wasAsleep(inLast: .seconds(30)),
                    orders.refusalEnd + .seconds(70) < SimulationExecutor.shared.now
                else { continue }
                let held = process.outbox?.counts.held ?? 0
                if held > 0 { journal.violation("\(process.name) holds \(held) items after an accepted call") }
            }
        }

        /// Enqueues one order or several in one call.
        private func enqueue(_ device: Device, _ number: Int, _ size: Int) async {
            let process = device.processes[number]
            guard let outbox = process.outbox else { return }
            let before = process.session.status
            let (isAvailable, faults) = (device.record.isAvailable, device.storeFaults)
            let stored = device.record.versions.count
            remember(before, on: device)
            // An app that knows its user may enqueue while signed out.
            let named = size.isMultiple(of: 3) ? before.userID ?? device.lastUser : nil
            let count = size.isMultiple(of: 5) ? 1 + size % 4 : 1
            let ledger = orders.ledger
            let queue = size.isMultiple(of: 4) ? "photos" : "main"
            let known = Set([named ?? before.userID].compactMap(\.self))
            let invalid = (0..<count).map { ($0 + size) % 7 == 0 }
            let numbers = ledger.begin(invalid, on: device.name, queue: queue, users: known)
            let text = "orders \(numbers.map(String.init).joined(separator: ", "))"
            do {
                let requests = try numbers.map { try ledger.records[$0].order.request(to: SimulatedProcess.baseURL) }
                let ids = try await outbox.enqueue(contentsOf: requests, lane: queue, userID: named)
                let after = process.session.status
                remember(after, on: device)
                // A process that has read no session yet takes the user of one that is stored meanwhile.
                let meanwhile = device.record.versions.dropFirst(max(stored - 1, 0)).compactMap { version in
                    version.stored?.session?.refreshToken.flatMap(network.ledger.user(ofToken:))
                }
                let users = named.map { [$0] } ?? Set([before.userID, after.userID].compactMap(\.self) + meanwhile)
                // A killed process has no caller to return to.
                ledger.end(
                    numbers,
                    process.isKilled ? numbers.map { _ in .unknown } : ids.map { .stored($0) },
                    users: users
                )
                journal.note("\(process.name) has enqueued \(text) in \(queue) for \(users.sorted())")
            } catch {
                let after = process.session.status
                // A process that was killed may have stored them for the user whom it had read meanwhile.
                let users = process.isKilled && named == nil ? known.union([after.userID].compactMap(\.self)) : known
                ledger.end(numbers, numbers.map { _ in process.isKilled ? .unknown : .failed }, users: users)
                journal.note("\(process.name) cannot enqueue \(text): \(error)")
                let isSteady = before.state.isSignedIn && after.state.isSignedIn && before.userID == after.userID
                // A volume that is full or locked takes no item.
                let mayFail =
                    device.files != nil
                    && !(isAvailable && device.record.isAvailable && device.storeFaults == faults)
                if !process.isKilled, !mayFail, isSteady || named != nil {
                    journal.violation("\(process.name) cannot enqueue: \(error)")
                }
                let isLocked = device.record.readFault != nil && !isAvailable && device.storeFaults == faults
                // The user may have signed out, which is in memory until the store is available.
                let isUnknown = before.storeFault != nil && after.state.name != .signedOut
                if isLocked, !process.isKilled, error as? OutboxError == .noAccount, isUnknown {
                    journal.violation("\(process.name) finds no account in a locked store")
                }
            }
        }

        private func remember(_ status: SessionStatus, on device: Device) {
            guard let user = status.userID, let email = status.email else { return }
            device.lastUser = user
            device.emails[user] = email
        }

        /// The user retries or discards the dead letters.
        private func handleDeadLetters(_ device: Device, _ number: Int, _ size: Int) async {
            let process = device.processes[number]
            guard let outbox = process.outbox else { return }
            do {
                for letter in try await outbox.deadLetters() {
                    guard let order = orders.ledger.records.first(where: { $0.id == letter.id })?.order.number else {
                        continue
                    }
                    let isRetried = (order + size).isMultiple(of: 2)
                    journal.note("\(process.name) \(isRetried ? "retries" : "discards") order \(order)")
                    // Recorded before: a retried item may be sent before the call returns.
                    if isRetried { orders.ledger.retry(order) } else { orders.ledger.discard(order) }
                    try await isRetried ? outbox.retry(letter.id) : outbox.discard(letter.id)
                }
            } catch {
                journal.note("dead letters of \(process.name): \(error)")
            }
        }

        // MARK: - Checks

        /// With everything working, the outboxes send all items of the signed-in user, and then those of the other users
        /// when they sign in.
        func checkOutboxes() async {
            guard plan.hasOutbox else { return }
            orders.hasFaults = false
            orders.outageEnd = .zero
            orders.refusalEnd = .zero
            for device in devices {
                await drain(device)
                checkItems(of: device)
            }
            for device in devices {
                let users = Set(waitingOrders(of: device).values.compactMap { $0?.users.sorted().first })
                for user in users.sorted() {
                    guard let email = device.emails[user], device.account != email || device.endedAccount != nil else {
                        continue
                    }
                    if device.account != nil {
                        device.account = nil
                        await attempt(device, 0, "sign-out") { try await $0.signOut() }
                    }
                    device.endedAccount = nil
                    await signIn(device, 0, as: email)
                    await drain(device)
                    checkItems(of: device)
                }
            }
            for record in orders.ledger.records where record.id != nil {
                report.orders.stored += 1
                if record.isApplied { report.orders.applied += 1 }
                if record.isRefused { report.orders.refused += 1 }
            }
        }

        /// Waits until the outbox has sent all items of the user, and checks the numbers that it publishes.
        private func drain(_ device: Device) async {
            guard device.account != nil, let user = device.processes[0].session.status.userID else { return }
            // The longest back-off is five minutes; each item may need an attempt to learn that the server is back.
            // After a failover that lost the end of a session, servers refuse its tokens until their caches drop the end, and
            // an outbox tries the next token within an hour.
            let losesEnds = plan.actions.contains { $0.action.kind == .promoteStandby }
            for _ in 0..<(losesEnds ? 240 : 60) where waiting(user, on: device) > 0 { await pause(.seconds(30)) }
            let left = waiting(user, on: device)
            guard left == 0 else { return journal.violation("\(device.name) does not send \(left) items") }
            // Each process looks for changes of others within half a minute.
            await pause(.seconds(120))
            let others = waitingOrders(of: device).count
            let dead = files(of: device, in: "dead").filter { orders.ledger.record(ofItem: $0)?.users == [user] }.count
            for process in device.processes {
                guard let counts = process.outbox?.counts else { continue }
                if counts.waiting + counts.sending + counts.held > 0 || counts.others != others || counts.dead != dead {
                    journal.violation("\(process.name) counts \(counts), and not \(others) of others, \(dead) dead")
                }
            }
        }

        private func waiting(_ user: String, on device: Device) -> Int {
            waitingOrders(of: device).values.count { $0?.users == [user] }
        }

        /// The orders that wait in a device's outbox.
        private func waitingOrders(of device: Device) -> [String: OrderLedger.Record?] {
            var found: [String: OrderLedger.Record?] = [:]
            for id in files(of: device, in: "waiting") { found[id] = .some(orders.ledger.record(ofItem: id)) }
            return found
        }

        /// Returns the IDs of the items in the folders of all accounts.
        private func files(of device: Device, in part: String) -> [String] {
            guard let folder = device.outboxFolder, let volume = device.volume else { return [] }
            return volume.names(in: folder).flatMap { account in
                volume.names(in: "\(folder)/\(account)/\(part)").compactMap {
                    let parts = $0.split(separator: ".")
                    return parts.count == 3 ? String(parts[1]) : nil
                }
            }
        }

        /// Every stored item was applied, or is reported: it waits for its user, or is a dead letter that the server refused.
        private func checkItems(of device: Device) {
            let (waiting, dead) = (Set(files(of: device, in: "waiting")), Set(files(of: device, in: "dead")))
            for record in orders.ledger.records where record.device == device.name {
                guard let id = record.id?.uuidString.lowercased() else { continue }
                let number = record.order.number
                if dead.contains(id), !record.isRefused {
                    journal.violation("order \(number) is a dead letter, although the server did not refuse it")
                }
                if !record.isApplied, !record.isDiscarded, !waiting.contains(id), !dead.contains(id) {
                    journal.violation("order \(number) is lost")
                }
            }
        }
    }
#endif
