// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What a policy came to.
package struct FleetOutcome: Sendable {
    /// Longer than this a user waits impatiently, in milliseconds.
    package static let longWait = 5000

    package var policy: String
    package var summary: String
    /// Refreshes that were sent, those that brought a token, and those that brought none.
    package var attempts: Int
    package var refreshes: Int
    package var wasted: Int { attempts - refreshes }
    /// Attempts that were answered with 503.
    package var unavailable: Int
    /// The most attempts of one second, and the mean.
    package var peak: Int
    package var mean: Double
    package var peakToMean: Double { mean > 0 ? Double(peak) / mean : 0 }
    /// The most of one second after the incident, or of all if there is none.
    package var peakAfter: Int
    /// How many seconds after its end the incident still showed in the rate; `nil` if it did to the end.
    package var drain: Int?
    /// Callers who got an error, and users who got one, who waited long, who were signed out.
    package var errors: Int
    package var usersWithErrors: Int
    package var usersWhoWaited: Int
    package var signedOut: Int
    /// Attempts in each second.
    package var series: [UInt32]
    package var refreshesByDevice: [UInt32]
}

extension FleetOutcome {
    init(policy: FleetPolicy, incident: Incident, figures: FleetCounters, devices: [SimulatedDevice]) {
        self.policy = policy.name
        summary = policy.summary
        attempts = figures.granted + figures.late + figures.unavailable + figures.lost + figures.refused
        refreshes = figures.granted
        unavailable = figures.unavailable
        peak = figures.attempts.max().map(Int.init) ?? 0
        mean = figures.attempts.isEmpty ? 0 : Double(attempts) / Double(figures.attempts.count)
        peakAfter = figures.attempts.dropFirst(incident.time.upperBound / 1000).max().map(Int.init) ?? 0
        drain = Self.drain(of: figures.attempts, after: incident)
        errors = figures.errors
        usersWithErrors = devices.count { $0.flags.contains(.sawError) }
        usersWhoWaited = devices.count { $0.flags.contains(.waitedLong) }
        signedOut = figures.signedOut
        series = figures.attempts
        refreshesByDevice = devices.map(\.refreshes)
    }

    /// How many attempts a second there were in the mean of some seconds.
    package func rate(_ seconds: Range<Int>) -> Double { Self.rate(series, seconds) }

    private static func rate(_ series: [UInt32], _ seconds: Range<Int>) -> Double {
        let seconds = seconds.clamped(to: series.indices)
        guard !seconds.isEmpty else { return 0 }
        return Double(series[seconds].reduce(0) { $0 + Int($1) }) / Double(seconds.count)
    }

    /// How long the rate of a minute stays a quarter above that of the half hour before the incident.
    private static func drain(of series: [UInt32], after incident: Incident) -> Int? {
        guard !incident.time.isEmpty else { return 0 }
        let (start, end) = (incident.time.lowerBound / 1000, incident.time.upperBound / 1000)
        let usual = rate(series, max(0, start - 1800)..<start) * 1.25
        // A minute of a small fleet has few refreshes, and their number is not the same twice.
        let limit = usual + 3 * (usual / 60).squareRoot()
        var last = end
        for minute in stride(from: end, to: series.count - 59, by: 10) where rate(series, minute..<minute + 60) > limit
        {
            last = minute + 60
        }
        return last >= series.count - 60 ? nil : last - end
    }
}
