// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

/// A further device of a history, whose app has a foreign backend.
package struct ForeignPlan: Codable, Sendable, Equatable {
    var preset: ForeignPreset
    /// The number of processes of the device.
    var processes: Int
    /// The lifetime of access tokens, in seconds.
    var accessLifetime: Int
    /// The time after which an unused refresh token expires, in seconds; `nil` for never.
    var idleLifetime: Int?
    var actions: [TimedAction]

    struct TimedAction: Codable, Sendable, Equatable {
        /// In milliseconds.
        var time: Int
        var kind: Kind
        var process: Int
        /// Decides how much, how long, or how often.
        var size: Int
    }

    /// Something that a user, an operator or the environment does.
    enum Kind: String, CaseIterable, Codable, Sendable {
        case read, refresh
        case callAll = "call from all processes"
        case killProcess = "kill a process"
        case killDuringRefresh = "kill a process during a refresh"
        case signOut = "sign out"
        case switchAccount = "switch accounts"
        case signInAgain = "sign in again"
        case signOutEverywhere = "sign out everywhere"
        case revoke = "the user ends the session at the backend"
        case lockStore = "lock the store"
        case deviceClock = "set the device's clock"
        case deviceSleep = "let the device sleep"
        case disturb = "disturb the backend"
        case slowBackend = "slow the backend down"
        case outage

        /// Whether every history may contain it.
        var isAlwaysPossible: Bool { [.read, .refresh, .callAll].contains(self) }
    }
}

extension HistoryPlan {
    /// Draws the device with a foreign backend; there is none in three of four plans.
    ///
    /// - Parameter end: The time of the last action.
    mutating func drawForeign(until end: Duration) {
        var random = SeededRandomStream(seed: seed, device: 0, matter: 60)
        guard random.number(in: 0...3) == 0 else { return }
        // More is lost with a backend that accepts no refresh token twice.
        let presets = ForeignPreset.allCases + [.auth0, .slack]
        let preset = presets[random.number(in: 0...presets.count - 1)]
        var plan = ForeignPlan(
            preset: preset,
            processes: random.number(in: 1...3),
            accessLifetime: 60 * random.number(in: 1...15),
            idleLifetime: random.number(in: 0...3) == 0 ? 60 * random.number(in: 20...90) : nil,
            actions: []
        )
        // Each kind is absent from half of the histories: many at once hide what one of them alone does.
        let kinds = ForeignPlan.Kind.allCases.filter { $0.isAlwaysPossible || random.number(in: 0...1) == 1 }
        let processes = plan.processes
        let actions = random.actions(atMoments: 4...10, each: 1...4, until: end) { time, random in
            ForeignPlan.TimedAction(
                time: time,
                kind: kinds[random.number(in: 0...kinds.count - 1)],
                process: random.number(in: 0...processes - 1),
                size: random.number(in: 0...1000)
            )
        }
        plan.actions = actions.sorted { $0.time < $1.time }
        foreign = plan
    }

    /// Returns a shorter plan that has the same property, by leaving out the foreign device or its actions.
    func shrunkForeign(while holds: (HistoryPlan) throws -> Bool) rethrows -> HistoryPlan {
        guard foreign != nil else { return self }
        var without = self
        without.foreign = nil
        return try holds(without) ? without : leavingOut(\.foreignActions, while: holds)
    }

    private var foreignActions: [ForeignPlan.TimedAction] {
        get { foreign?.actions ?? [] }
        set { foreign?.actions = newValue }
    }
}

extension ForeignPlan {
    /// Whether each action is one of a process that the device has.
    var isValid: Bool { processes > 0 && actions.allSatisfy { 0..<processes ~= $0.process } }

    /// The device and its actions in plain words, one line for each action.
    var lines: [String] {
        let idle = idleLifetime.map { "after \($0) s without use" } ?? "never"
        let head =
            "a device with the backend of \(preset.rawValue) and \(processes) processes; "
            + "access tokens live for \(accessLifetime) s, refresh tokens expire \(idle)"
        return [head]
            + actions.map {
                "after \($0.time / 1000) s: \($0.kind.rawValue) (process \($0.process), size \($0.size))"
            }
    }
}
