// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A scenario for a fleet.
package enum Scenario: String, CaseIterable, Sendable {
    case day
    case outage
    case badDeploy = "bad-deploy"
    case lockout
    case skew
    case push
    case overload

    /// A description, without a full stop.
    package var summary: String {
        switch self {
        case .day: "ordinary days"
        case .outage: "the token server is unreachable for a while"
        case .badDeploy: "the resource servers answer 401 to every access token"
        case .lockout: "every server, including the token server, answers 401"
        case .skew: "the wall clocks of a tenth of the devices are wrong by 1 to 12 hours"
        case .push:
            "after a push notification a tenth of the users open the app within a minute, and use it for 20 minutes"
        case .overload: "the token server has a fifth of its capacity"
        }
    }

    /// The usual length in milliseconds; `nil` for the whole run.
    package var usualLength: Int? {
        switch self {
        case .day, .skew: nil
        case .outage, .overload: 3_600_000
        case .badDeploy, .lockout: 600_000
        case .push: 60_000
        }
    }
}
