// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

extension Action.Kind {
    private static let outboxKinds: [Action.Kind] = [
        .enqueue, .enqueueAndKill, .enqueueOffline, .handleDeadLetters, .stopApplicationServer,
    ]

    /// Whether only a device with an outbox performs it, or the application server.
    var concernsOutboxes: Bool { Self.outboxKinds.contains(self) }
}

extension HistoryPlan {
    /// Whether the devices have outboxes.
    var hasOutbox: Bool { actions.contains { $0.action.kind.concernsOutboxes } }

    /// Returns the further actions of a history with outboxes.
    ///
    /// - Parameters:
    ///   - seed: The plan's seed.
    ///   - processes: The number of processes of each device.
    ///   - others: The other actions, with which those of outboxes race.
    /// - Returns: The actions; none in three of four plans.
    static func outboxActions(
        seed: UInt64,
        _ processes: [Int],
        among others: [PlannedAction]
    ) -> [PlannedAction] {
        var random = SeededRandomStream(seed: seed, device: 0, matter: 20)
        guard random.number(in: 0...3) == 0 else { return [] }
        // Enqueueing is more frequent than what disturbs it.
        let kinds: [Action.Kind] = [
            .enqueue, .enqueue, .enqueue, .enqueueAndKill, .enqueueOffline, .handleDeadLetters, .stopApplicationServer,
            .killProcess, .switchAccount, .signOut,
        ]
        return (0..<random.number(in: 3...12)).map { number in
            let moment = others[random.number(in: 0...others.count - 1)]
            let device =
                random.number(in: 0...3) == 0 ? random.number(in: 0...processes.count - 1) : moment.action.device
            let action = Action(
                kind: number == 0 ? .enqueue : kinds[random.number(in: 0...kinds.count - 1)],
                device: device,
                process: random.number(in: 0...processes[device] - 1),
                size: random.number(in: 0...1000)
            )
            let delay = random.number(in: 0...(random.number(in: 0...1) == 0 ? 1500 : 40_000))
            return PlannedAction(time: moment.time + .milliseconds(delay), action: action)
        }
    }
}
