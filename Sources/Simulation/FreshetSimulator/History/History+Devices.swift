// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit
    import SimulatedFiles

    extension History {
        /// Performs an action that ends processes of a device at some call of its volume.
        func performDeviceAction(_ action: Action) async {
            let device = devices[action.device]
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

        /// All processes of a device end, changes of its volume that are not durable are lost, and the processes start again.
        private func losePower(_ device: Device) {
            journal.note("\(device.name) loses power, and starts again")
            report.devicePowerCuts += 1
            for process in device.processes { process.kill() }
            device.files?.cutPower()
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
