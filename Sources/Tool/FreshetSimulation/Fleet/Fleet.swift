// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Devices that somebody is signed in on, and how their users use the app: the same under every policy.
package struct Fleet: Sendable {
    package var devices: Int
    /// How long is looked at, in milliseconds from midnight at Greenwich.
    package var span: Int
    package var seed: UInt64

    package init(devices: Int, hours: Int, seed: UInt64) {
        self.devices = devices
        span = hours * 3_600_000
        self.seed = seed
    }

    /// Some seconds at the front: shorter than it takes to see an app's first screen.
    static let shortestVisit = 5000.0

    /// Matters of a device that are no visits.
    private enum Matter: Int {
        case usage = -1
        case push = -2
        case skew = -3
    }

    private func chance(of device: Int, _ matter: Matter) -> SeededRandomStream {
        SeededRandomStream(seed: seed, device: device, matter: matter.rawValue)
    }

    /// Who uses a device: how, and how many hours ahead of Greenwich.
    package func user(of device: Int) -> FleetUser {
        var chance = chance(of: device, .usage)
        return FleetUser(usage: UsagePattern(chance.uniform()), zone: DiurnalCurve.zone(chance.uniform()))
    }

    /// When the app comes to the foreground next, and for how long; `nil` for not in this span.
    package func visit(_ number: Int, of device: Int, _ user: FleetUser, after time: Int) -> Visit? {
        let usage = user.usage
        var chance = SeededRandomStream(seed: seed, device: device, matter: number)
        let ahead = Double(user.zone) * 3_600_000
        // Drawn at the busiest hour's pace, and thinned to that of the hour it falls on.
        let gap = 86_400_000 / (usage.visitsPerDay * DiurnalCurve.largest)
        var start = Double(time)
        repeat {
            start += gap * chance.exponential()
            if start >= Double(span) { return nil }
        } while chance.uniform() * DiurnalCurve.largest > DiurnalCurve.weight(at: start + ahead)
        let length = max(Self.shortestVisit, usage.meanVisit * chance.exponential())
        return Visit(start: Int(start), end: Int(min(start + length, Double(span))))
    }

    /// How long after a push the app is opened because of it; `nil` where it is not.
    func delay(afterPushOf device: Int, share: Double, within: Int) -> Int? {
        var chance = chance(of: device, .push)
        guard chance.uniform() < share else { return nil }
        return Int(chance.uniform() * Double(within))
    }

    /// What a device's wall clock is ahead by, in milliseconds.
    func skew(of device: Int, share: Double, upTo limit: Int) -> Int {
        var chance = chance(of: device, .skew)
        guard chance.uniform() < share else { return 0 }
        // An hour at least: less than that is not what a wrong time zone does.
        let amount = 3_600_000 + Int(chance.uniform() * Double(limit - 3_600_000))
        return chance.uniform() < 0.5 ? amount : -amount
    }
}
