// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

/// Signed-in devices and their users' usage, which is the same under every policy.
package struct Fleet: Sendable {
    package var devices: Int
    /// The length of the run in milliseconds, from midnight UTC.
    package var span: Int
    package var seed: UInt64

    package init(devices: Int, hours: Int, seed: UInt64) {
        self.devices = devices
        span = hours * 3_600_000
        self.seed = seed
    }

    /// The minimum visit in milliseconds; a shorter one ends before the app's first screen.
    static let shortestVisit = 5000.0

    /// The purposes of a device's random streams, other than visits.
    private enum Matter: Int {
        case usage = -1
        case push = -2
        case skew = -3
    }

    private func chance(of device: Int, _ matter: Matter) -> SeededRandomStream {
        SeededRandomStream(seed: seed, device: device, matter: matter.rawValue)
    }

    /// Returns the user of a device: usage and time zone.
    package func user(of device: Int) -> FleetUser {
        var chance = chance(of: device, .usage)
        return FleetUser(usage: UsagePattern(chance.uniform()), zone: DiurnalCurve.zone(chance.uniform()))
    }

    /// Returns the next visit to the app; `nil` if there is none within the run.
    package func visit(_ number: Int, of device: Int, _ user: FleetUser, after time: Int) -> Visit? {
        let usage = user.usage
        var chance = SeededRandomStream(seed: seed, device: device, matter: number)
        let ahead = Double(user.zone) * 3_600_000
        // Drawn at the rate of the busiest hour, and then thinned to the rate of the actual hour.
        let gap = 86_400_000 / (usage.visitsPerDay * DiurnalCurve.largest)
        var start = Double(time)
        repeat {
            start += gap * chance.exponential()
            if start >= Double(span) { return nil }
        } while chance.uniform() * DiurnalCurve.largest > DiurnalCurve.weight(at: start + ahead)
        let length = max(Self.shortestVisit, usage.meanVisit * chance.exponential())
        return Visit(start: Int(start), end: Int(min(start + length, Double(span))))
    }

    /// Returns the delay of the launch after a push notification; `nil` without a launch.
    func delay(afterPushOf device: Int, share: Double, within: Int) -> Int? {
        var chance = chance(of: device, .push)
        guard chance.uniform() < share else { return nil }
        return Int(chance.uniform() * Double(within))
    }

    /// Returns the amount by which a device's wall clock is ahead, in milliseconds.
    func skew(of device: Int, share: Double, upTo limit: Int) -> Int {
        var chance = chance(of: device, .skew)
        guard chance.uniform() < share else { return 0 }
        // The difference is at least an hour, such as that of a wrong time zone.
        let amount = 3_600_000 + Int(chance.uniform() * Double(limit - 3_600_000))
        return chance.uniform() < 0.5 ? amount : -amount
    }
}
