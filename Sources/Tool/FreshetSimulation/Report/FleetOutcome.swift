// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The results of a policy.
package struct FleetOutcome: Sendable {
    /// The time after which a user has waited long, in milliseconds.
    package static let longWait = 5000

    package var policy: String
    package var summary: String
    /// The number of refreshes that were sent, of those that returned a token, and of those that did not.
    package var attempts: Int
    package var refreshes: Int
    package var wasted: Int { attempts - refreshes }
    /// Attempts that were answered with 503.
    package var unavailable: Int
    /// The maximum and the mean number of attempts per second.
    package var peak: Int
    package var mean: Double
    package var peakToMean: Double { mean > 0 ? Double(peak) / mean : 0 }
    /// The maximum per second after the incident, or of the whole run without one.
    package var peakAfter: Int
    /// The time from the incident's end until the rate is normal, in seconds; `nil` if it never is.
    package var drain: Int?
    /// Callers that received an error, and users with an error, a long wait or a sign-out.
    package var errors: Int
    package var usersWithErrors: Int
    package var usersWhoWaited: Int
    package var signedOut: Int
    /// The number of attempts in each second.
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

    /// Returns the mean number of attempts per second in a range of seconds.
    package func rate(_ seconds: Range<Int>) -> Double { Self.rate(series, seconds) }

    private static func rate(_ series: [UInt32], _ seconds: Range<Int>) -> Double {
        let seconds = seconds.clamped(to: series.indices)
        guard !seconds.isEmpty else { return 0 }
        return Double(series[seconds].reduce(0) { $0 + Int($1) }) / Double(seconds.count)
    }

    /// Returns the time for which the rate of a minute exceeds that of the half hour before the incident by 25 %.
    private static func drain(of series: [UInt32], after incident: Incident) -> Int? {
        guard !incident.time.isEmpty else { return 0 }
        let (start, end) = (incident.time.lowerBound / 1000, incident.time.upperBound / 1000)
        let usual = rate(series, max(0, start - 1800)..<start) * 1.25
        // A minute of a small fleet has few refreshes, whose number varies randomly.
        let limit = usual + 3 * (usual / 60).squareRoot()
        var last = end
        for minute in stride(from: end, to: series.count - 59, by: 10) where rate(series, minute..<minute + 60) > limit
        {
            last = minute + 60
        }
        return last >= series.count - 60 ? nil : last - end
    }
}
