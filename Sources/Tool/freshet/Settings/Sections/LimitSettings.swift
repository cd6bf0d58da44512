// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetServer

/// The limits on load.
enum LimitSettings: SettingsSection {
    static let title = "Limits"

    static let settings: [Setting] = [
        Setting(
            "max-requests",
            "The number of requests that are handled at one time",
            \.server.operations.admission.requests,
            .number(in: 1...1_000_000)
        ),
        Setting(
            "max-connections",
            "The number of connections at one time",
            details: "Fewer if the limit of open files is too low for them.",
            \.server.operations.admission.connections,
            .number(in: 1...1_000_000)
        ),
        Setting(
            "connections-per-source",
            "The number of connections from one IPv4 address or IPv6 /64",
            details: "Connections from loopback are not counted.",
            \.server.operations.admission.connectionsPerSource,
            .number(in: 1...1_000_000)
        ),
        Setting(
            "refreshes-per-session",
            "The sustained rate of refreshes of one session from one network, in refreshes per second",
            details: "The burst is two hundred times that.",
            \.refreshesPerSession,
            .number(in: 1...1000)
        ),
        Setting(
            "no-fast-path",
            "Answers every request by the router, for diagnosis",
            details: "Responses are the same; refreshes, confirmations and `/v1/me` take more work.",
            \.hasNoFastPath,
            .flag
        ),
    ]
}

extension ServeSettings {
    fileprivate var hasNoFastPath: Bool {
        get { !server.operations.hasFastPath }
        set { server.operations.hasFastPath = !newValue }
    }

    /// The rate of refreshes; the burst is always the same number of seconds at that rate.
    fileprivate var refreshesPerSession: Int {
        get { server.operations.admission.sessionRateLimit.capacity / AdmissionLimits().sessionRateLimit.capacity }
        set {
            server.operations.admission.sessionRateLimit.capacity =
                AdmissionLimits().sessionRateLimit.capacity * newValue
            server.operations.admission.sessionRateLimit.interval = .milliseconds(1000 / newValue)
        }
    }
}
