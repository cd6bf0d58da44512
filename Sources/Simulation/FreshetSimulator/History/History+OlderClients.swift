// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit

    extension History {
        /// The app of a device is updated to the present client; all its processes start again.
        func updateClient(_ device: Device) {
            guard !device.olderClient.isEmpty else { return }
            device.olderClient = []
            journal.note("the app of \(device.name) is updated to the present client")
            for index in device.processes.indices { start(index, on: device) }
        }

        /// The app of a device goes back to the older client with which it began.
        func rollBackClient(_ device: Device, _ number: Int) {
            guard device.olderClient.isEmpty, plan.olderClients.indices.contains(number) else { return }
            device.olderClient = plan.olderClients[number]
            journal.note("the app of \(device.name) goes back to a client with \(device.olderClient.text)")
            for index in device.processes.indices { start(index, on: device) }
        }

        /// With everything working, each process with an older client recovers; those that lack what that takes do so after
        /// an update.
        func recoverOlderClients() async {
            let older = devices.filter { !$0.olderClient.isEmpty }
            for device in older { await recoverOlderClient(device) }
            // The updated processes open their sockets.
            if !older.isEmpty { await pause(.seconds(60)) }
        }

        private func recoverOlderClient(_ device: Device) async {
            report.olderClients += 1
            for index in device.processes.indices where device.account != nil {
                // Servers refuse all its refreshes.
                if device.olderClient.contains(.noIntents) { break }
                var isRecovered = await attempt(device, index, "refresh") { try await $0.refresh() }
                if isRecovered { isRecovered = await read(device, index) }
                checkSignedIn()
                if isRecovered || device.account == nil { continue }
                if plan.servers > 1, let session = device.session?.id, lostEnds.contains(session) { continue }
                let isSuperseded =
                    device.adopted.map { isExpected(.staleHolder, of: $0, device) } ?? false
                    || thieves.contains { $0.session == device.adopted }
                if device.olderClient.contains(.noReports), isSuperseded {
                    report.limits[.olderUnreported, default: 0] += 1
                } else {
                    journal.violation("\(device.processes[index].name) does not recover with an older client")
                }
            }
            updateClient(device)
        }
    }
#endif
