// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

extension HistoryPlan {
    /// Draws the rate limits of the servers and of a gateway before them, and the version of the servers.
    mutating func drawLimits() {
        var random = SeededRandomStream(seed: seed, device: 1, matter: 50)
        hasProductionLimits = random.number(in: 0...3) == 0
        throttledPerMille = random.number(in: 0...3) == 0 ? random.number(in: 50...300) : 0
        hasNewerServers = random.number(in: 0...3) == 0
        var older = SeededRandomStream(seed: seed, device: 2, matter: 50)
        hasOlderServers = app == nil && older.number(in: 0...3) == 0
    }

    /// Draws the contract of the app, and the updates to the native one and back.
    ///
    /// - Parameter end: The time of the last action.
    mutating func drawContract(until end: Duration) {
        var random = SeededRandomStream(seed: seed, device: 0, matter: 50)
        switch random.number(in: 0...15) {
        case 0, 1: app = .creatist
        case 2: app = .authservice
        case 3: app = .outbox
        case 4: app = random.number(in: 0...1) == 0 ? .bitbasel : .melchat
        default: app = nil
        }
        guard let app, !app.isStatic else { return }
        for device in processes.indices where random.number(in: 0...1) == 0 {
            let milliseconds = Int(end / .milliseconds(1))
            let time = Duration.milliseconds(random.number(in: 0...milliseconds))
            let process = random.number(in: 0...processes[device] - 1)
            let size = random.number(in: 0...1000)
            let update = Action(kind: .updateApp, device: device, process: process, size: size)
            actions.append(PlannedAction(time: time, action: update))
            if random.number(in: 0...2) == 0 {
                // The first commit with an intent may be lost.
                let cut = Action(kind: .cutPower, device: device, process: process, size: size)
                actions.append(PlannedAction(time: time + .milliseconds(random.number(in: 0...2000)), action: cut))
            }
            guard random.number(in: 0...3) == 0 else { continue }
            let back = Action(kind: .rollBackApp, device: device, process: process, size: size)
            let later = time + .milliseconds(random.number(in: 0...max(milliseconds / 2, 200_000)))
            actions.append(PlannedAction(time: later, action: back))
        }
    }
}
