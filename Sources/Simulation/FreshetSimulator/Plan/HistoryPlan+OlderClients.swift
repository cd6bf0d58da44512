// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

extension HistoryPlan {
    /// Draws the older versions of the native client, and the updates of the app to the present one and back.
    ///
    /// - Parameter end: The time of the last action.
    mutating func drawOlderClients(until end: Duration) {
        var random = SeededRandomStream(seed: seed, device: 0, matter: 80)
        guard app == nil, random.number(in: 0...3) == 0 else { return }
        olderClients = processes.map { _ in .draw(&random) }
        let milliseconds = Int(end / .milliseconds(1))
        for device in processes.indices where random.number(in: 0...3) > 0 {
            let process = random.number(in: 0...processes[device] - 1)
            let size = random.number(in: 0...1000)
            let time = Duration.milliseconds(random.number(in: 0...milliseconds))
            let update = Action(kind: .updateClient, device: device, process: process, size: size)
            actions.append(PlannedAction(time: time, action: update))
            guard random.number(in: 0...1) == 0 else { continue }
            let back = Action(kind: .rollBackClient, device: device, process: process, size: size)
            let later = time + .milliseconds(random.number(in: 0...max(milliseconds / 2, 200_000)))
            actions.append(PlannedAction(time: later, action: back))
        }
    }
}
