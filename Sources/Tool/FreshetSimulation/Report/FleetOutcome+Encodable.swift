// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension FleetOutcome: Encodable {
    private enum CodingKeys: String, CodingKey {
        case policy, attempts, refreshes, wasted, unavailable, peak, mean, errors, rates
        case peakAfter = "peak_after"
        case drain = "drain_seconds"
        case usersWithErrors = "users_with_errors"
        case usersWhoWaited = "users_who_waited"
        case signedOut = "signed_out"
    }

    /// Encodes all figures and the rate per minute, but not the refreshes per device.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(policy, forKey: .policy)
        try container.encode(attempts, forKey: .attempts)
        try container.encode(refreshes, forKey: .refreshes)
        try container.encode(wasted, forKey: .wasted)
        try container.encode(unavailable, forKey: .unavailable)
        try container.encode(peak, forKey: .peak)
        try container.encode(Self.rounded(mean), forKey: .mean)
        try container.encode(peakAfter, forKey: .peakAfter)
        // The value is encoded even if it is `nil`: `null` means that the rate never returned to normal.
        try container.encode(drain, forKey: .drain)
        try container.encode(errors, forKey: .errors)
        try container.encode(usersWithErrors, forKey: .usersWithErrors)
        try container.encode(usersWhoWaited, forKey: .usersWhoWaited)
        try container.encode(signedOut, forKey: .signedOut)
        let minutes = stride(from: 0, to: series.count, by: 60).map { Self.rounded(rate($0..<$0 + 60)) }
        try container.encode(minutes, forKey: .rates)
    }

    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
