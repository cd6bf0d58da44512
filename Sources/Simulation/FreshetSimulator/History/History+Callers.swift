// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetKit
    import FreshetWire

    /// Calls of an app that has many of them, or that goes on calling during an outage.
    extension History {
        /// The number of times that a process reads a locked store for callers that come at once.
        private static let maximumReads = 10

        /// Many callers wait for a process that cannot read its session, because its store is slow and locked.
        ///
        /// One read that began after several callers had arrived answers all of them.
        func callLockedStore(of device: Device, _ number: Int) async {
            guard device.files == nil, device.record.isAvailable else { return }
            journal.note("the store of \(device.name) is slow")
            device.record.slowness = { .seconds(1) }
            failStore(of: device, isReadable: false)
            start(number, on: device)
            let (process, changes) = (device.processes[number], device.record.faultChanges)
            await withTaskGroup { group in
                for _ in 0..<40 { group.addTask { [self] in await read(device, number) } }
            }
            let wasLocked = device.record.faultChanges == changes
            device.record.slowness = nil
            device.record.endFaults()
            // The time says nothing: the accesses of all processes are on one thread.
            let reads = (process.store as? SimulatedStore)?.reads ?? 0
            // Each caller of a process that was killed meanwhile finds its store closed.
            if wasLocked, !process.isKilled, reads > Self.maximumReads {
                journal.violation("\(process.name) reads a locked store \(reads) times for its callers")
            }
            checkSaved(await processesNotSaved(of: device))
        }

        /// The app calls during an outage, in which its access token expires, and after it.
        func callDuringOutage(_ device: Device, _ process: Int) async {
            let start = SimulationExecutor.shared.now
            let end = start + plan.accessLifetime + .seconds(150)
            network.outageEnd = max(network.outageEnd, end)
            await pause(plan.accessLifetime)
            while SimulationExecutor.shared.now < end + .seconds(20) {
                await read(device, process)
                await pause(.seconds(1))
            }
        }

        /// Checks that a call that found no token did not just wait for the end of the client's back-off.
        ///
        /// - Parameters:
        ///   - process: The process.
        ///   - device: Its device.
        ///   - error: The error of the call.
        ///   - start: The time of the call.
        ///   - sent: The number of refreshes that the process had sent before.
        func checkAttempted(
            _ process: SimulatedProcess,
            of device: Device,
            _ error: any Error,
            since start: Duration,
            sent: Int
        ) {
            guard case .offline(retryAfter: _?, _) = error as? SessionError else { return }
            guard process.transport.refreshes == sent, let last = process.transport.lastLoss,
                last + Self.earlyRetry < start, !process.transport.isAskedToWait, !process.isKilled,
                device.record.isAvailable, !device.record.wasSlow(inLast: .seconds(60)),
                !device.clock.wasAsleep(inLast: .seconds(60))
            else { return }
            let age = (start - last).components.seconds
            journal.violation("\(process.name) does not refresh for a call, \(age) s after a lost response")
        }

        /// With everything working, the servers have the confirmation of each device's newest token.
        func checkConfirmed() async {
            // A session that a served contract opened counts its generations on the device.
            guard plan.app == nil, devices.contains(where: { unconfirmedGeneration(of: $0) != nil }) else { return }
            // A shared database takes seconds for a transaction that conflicts with others.
            await pause(.seconds(30))
            for device in devices {
                guard let generation = unconfirmedGeneration(of: device) else { continue }
                journal.violation("generation \(generation) of \(device.name) is not confirmed")
            }
        }

        private func unconfirmedGeneration(of device: Device) -> UInt64? {
            guard device.account != nil, device.olderClient.isEmpty, let session = device.session,
                let proved = backend.provedGeneration(of: session.id), proved < session.generation
            else { return nil }
            return session.generation
        }

        /// The time between two attempts that calls bring forward, and a second more.
        private static var earlyRetry: Duration { .seconds(6) }

        /// A client in another network that knows the ID of a session presents forged tokens of it.
        func flood(_ device: Device) async {
            guard let token = device.session?.refreshToken,
                let url = URL(string: SimulatedProcess.baseURL + NativePath.refresh)
            else { return }
            let forged = String(token.dropLast(6)) + "AAAAAA"
            let forgery = TokenBody(refreshToken: forged, intent: String(repeating: "A", count: 22))
            guard let body = try? JSONEncoder().encode(forgery) else { return }
            network.trace?.forged.insert(forged)
            journal.note("a stranger presents forged tokens of the session of \(device.name)")
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.setValue("1", forHTTPHeaderField: ServerProcess.otherNetworkField)
            request.httpBody = body
            for _ in 0..<220 {
                let response = try? await backend.respond(to: request, bodyDelay: .zero) {}
                if response?.1.statusCode == 200 { journal.violation("a forged token of \(device.name) is served") }
            }
            await attempt(device, 0, "refresh") { try await $0.refresh() }
        }
    }
#endif
