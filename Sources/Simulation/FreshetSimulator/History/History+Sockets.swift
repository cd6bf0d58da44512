// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit

    extension History {
        /// With everything working, the socket of each process is open if its user is signed in, and only then.
        func checkSockets() {
            for device in devices {
                for process in device.processes { check(process, of: device) }
            }
        }

        private func check(_ process: SimulatedProcess, of device: Device) {
            guard let socket = process.socket else { return }
            if socket.isSilent { journal.violation("\(process.name) has not noticed that its socket is silent") }
            switch (process.session.state.isSignedIn, socket.state) {
            case (true, .open), (false, .closed), (false, .idle): break
            case (true, let state): journal.violation("\(process.name) is signed in, and its socket is \(state)")
            case (false, let state): journal.violation("\(process.name) is signed out, and its socket is \(state)")
            }
        }
    }
#endif
