// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

extension HistoryPlan {
    /// Draws whether the devices store their sessions in files, and the power failures of these devices.
    mutating func drawFiles() {
        var random = SeededRandomStream(seed: seed, device: 0, matter: 30)
        // Without intents, tokens whose write is lost end the session.
        hasFileStores = app == nil && random.number(in: 0...3) == 0
        guard hasFileStores else { return }
        let others = actions
        for _ in 0..<random.number(in: 1...6) {
            let moment = others[random.number(in: 0...others.count - 1)]
            let device =
                random.number(in: 0...3) == 0 ? random.number(in: 0...processes.count - 1) : moment.action.device
            let action = Action(
                kind: random.number(in: 0...3) == 0 ? .killDuringWrite : .cutDevicePower,
                device: device,
                process: random.number(in: 0...processes[device] - 1),
                size: random.number(in: 0...1000)
            )
            let delay = random.number(in: 0...(random.number(in: 0...1) == 0 ? 1500 : 40_000))
            actions.append(PlannedAction(time: moment.time + .milliseconds(delay), action: action))
        }
    }
}
