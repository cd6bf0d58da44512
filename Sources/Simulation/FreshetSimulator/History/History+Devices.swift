// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit
    import SeededRandom
    import SimulatedFiles

    extension History {
        /// Lets all processes of a device read a session that one of them has stored.
        func reloadProcesses(of device: some AppDevice) async {
            var changes: Int
            repeat {
                while !device.record.isAvailable { await pause(.seconds(1)) }
                changes = device.record.faultChanges
                for process in device.processes { await process.session.reload() }
                // A store that was locked meanwhile is read again.
            } while device.record.faultChanges != changes
        }

        /// Performs an action that ends processes of a device at some call of its volume.
        func performDeviceAction(_ action: Action) async {
            let device = devices[action.device]
            if action.kind == .deviceSleep { return await letSleep(device, action.size) }
            if action.kind == .slowStore { return await slowStore(of: device, action) }
            let losesPower = action.kind == .cutDevicePower
            let end = { [self] in losesPower ? losePower(device) : kill(action.process, of: device) }
            guard let volume = device.files?.volume, !action.size.isMultiple(of: 5) else { return end() }
            var (calls, hasEnded) = (1 + action.size % 17, false)
            // A new name that is not durable yet.
            let awaitsName = action.size.isMultiple(of: 3)
            let renames = volume.renames
            volume.willChange = { [self] system in
                calls -= 1
                guard awaitsName ? volume.renames > renames : calls == 0 else { return }
                volume.willChange = nil
                hasEnded = true
                if losesPower { return losePower(device) }
                let writer = device.processes.firstIndex { $0.system === system }
                if let writer { kill(writer, of: device) }
            }
            // A refresh stores its intent and its tokens.
            if action.size.isMultiple(of: 2) {
                await attempt(device, action.process, "refresh") { try await $0.refresh() }
            } else {
                await pause(.milliseconds(action.size * 30))
            }
            if !hasEnded {
                // That of a later action, if there is one.
                volume.willChange = nil
                end()
            }
            guard !losesPower, awaitsName else { return }
            // The next process uses what the killed one left, before the power failure.
            async let refresh = attempt(device, action.process, "refresh") { try await $0.refresh() }
            await pause(.microseconds(action.size * 40))
            losePower(device)
            _ = await refresh
        }

        /// The device sleeps while calls are under way, for up to a minute or some hours.
        private func letSleep(_ device: Device, _ size: Int) async {
            await duringCalls(of: device, size) { [self] in
                let isShort = plan.servers > 1 || size % 3 > 0
                device.clock.fallAsleep(for: .milliseconds(size * (isShort ? 60 : 10_000)))
                journal.note("\(device.name) sleeps for \(device.clock.sleepLeft.components.seconds) s")
            }
        }

        /// Each access to the device's store takes up to some seconds, for which its process waits.
        private func slowStore(of device: Device, _ action: Action) async {
            if action.size.isMultiple(of: 5) { return await callLockedStore(of: device, action.process) }
            journal.note("the store of \(device.name) is slow")
            let longest = action.size.isMultiple(of: 2) ? 100 : 3000
            device.record.slowness = { [self] in .milliseconds(storeDelays.number(in: 1...longest)) }
            await duringCalls(of: device, action.size) {
                await self.attempt(device, action.process, "refresh") { try await $0.refresh() }
                await self.pause(.milliseconds(action.size * 30))
            }
            device.record.slowness = nil
        }

        /// All processes of a device end, changes of its volume that are not durable are lost, and the processes start again.
        private func losePower(_ device: Device) {
            journal.note("\(device.name) loses power, and starts again")
            report.devicePowerCuts += 1
            for process in device.processes { process.kill() }
            device.files?.cutPower()
            device.clock.boot()
            for index in device.processes.indices { start(index, on: device) }
        }

        private func kill(_ number: Int, of device: Device) {
            journal.note("\(device.processes[number].name) is killed during a write, and starts again")
            device.processes[number].kill()
            device.files?.didFail()
            start(number, on: device)
        }
    }
#endif
