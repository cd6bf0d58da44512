// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension HistoryPlan {
    /// Whether a plan has a part, and how it is left out.
    private static var removableParts: [(isPresent: (HistoryPlan) -> Bool, remove: (inout HistoryPlan) -> Void)] {
        [
            ({ $0.usesConnections }, { $0.usesConnections = false }),
            ({ $0.hasFileStores }, { $0.hasFileStores = false }),
            ({ $0.hasSockets }, { $0.hasSockets = false }),
            ({ !$0.olderClients.isEmpty }, { $0.olderClients = [] }),
            ({ $0.tasksPerDelay > 0 }, { $0.tasksPerDelay = 0 }),
            ({ $0.hasClockDrift }, { $0.hasClockDrift = false }),
            ({ $0.hasResourceServer }, { $0.hasResourceServer = false }),
            ({ $0.hasNewerServers }, { $0.hasNewerServers = false }),
            ({ $0.hasOlderServers }, { $0.hasOlderServers = false }),
            ({ $0.lifetimes != nil }, { $0.lifetimes = nil }),
        ]
    }

    /// Returns a shorter plan that has the same property, by leaving out actions, faults and devices.
    ///
    /// The order of tasks depends on the steps before, so that a plan may lose the property by a change that does not
    /// concern it; the result is short, but not the shortest.
    ///
    /// - Parameter holds: Whether a plan has the property.
    /// - Returns: The shorter plan.
    package func shrunk(while holds: (HistoryPlan) throws -> Bool) rethrows -> HistoryPlan {
        var plan = try shrunkForeign(while: holds).shrunkOAuth(while: holds)
        for fault in plan.faults.kinds {
            var other = plan
            other.faults.remove(fault)
            if try holds(other) { plan = other }
        }
        for (isPresent, remove) in Self.removableParts where isPresent(plan) {
            var other = plan
            remove(&other)
            if try holds(other) { plan = other }
        }
        plan = try plan.leavingOut(\.actions, while: holds)
        if plan.processes.count == 2, plan.actions.allSatisfy({ $0.action.device == 0 }) {
            var other = plan
            other.processes.removeLast()
            if try holds(other) { plan = other }
        }
        return plan
    }

    /// Returns the plan without as many elements of a list as the property permits: halves of it first, single ones last.
    func leavingOut<Element>(
        _ list: WritableKeyPath<HistoryPlan, [Element]>,
        while holds: (HistoryPlan) throws -> Bool
    ) rethrows -> HistoryPlan {
        var plan = self
        var length = max(plan[keyPath: list].count / 2, 1)
        while length > 0 {
            var start = 0
            while start < plan[keyPath: list].count {
                var other = plan
                other[keyPath: list].removeSubrange(start..<min(start + length, plan[keyPath: list].count))
                if try holds(other) { plan = other } else { start += length }
            }
            length /= 2
        }
        return plan
    }

    /// The plan in plain words, one line for each action.
    package var text: String {
        let counts = processes.map(String.init).joined(separator: " and ")
        let faults = faults.kinds.map(\.rawValue).joined(separator: ", ")
        let head = [
            "the contract of \(app?.rawValue ?? "Freshet")",
            "\(servers) servers, devices with \(counts) processes; access tokens live for \(accessLifetime.components.seconds) s",
            "faults of the network: \(faults.isEmpty ? "none" : faults)",
        ]
        var entry = usesConnections ? ["requests enter by connections"] : []
        if hasFileStores { entry.append("sessions are stored in files") }
        if hasSockets { entry.append("processes hold WebSockets") }
        if hasNewerServers { entry.append("some servers are newer than the app") }
        if hasOlderServers { entry.append("some servers are older than the app") }
        if tasksPerDelay > 0 { entry.append("one task in \(tasksPerDelay) starts later") }
        if hasClockDrift { entry.append("clocks drift") }
        if hasResourceServer { entry.append("a resource server follows the feed of ended sessions") }
        if let lifetimes { entry.append(lifetimes.text) }
        for (device, client) in olderClients.enumerated() {
            entry.append("device \(device) begins with an older client: \(client.text)")
        }
        let lines = actions.map { planned in
            let action = planned.action
            return "after \(planned.time.components.seconds) s: \(action.kind.rawValue) "
                + "(device \(action.device), process \(action.process), size \(action.size))"
        }
        return (head + entry + lines + (foreign?.lines ?? []) + (oauth?.lines ?? [])).joined(separator: "\n")
    }
}
