// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetIdentity
import FreshetServer
import Logging

/// Logs, metrics, the audit trail and shutdown.
enum OperationSettings: SettingsSection {
    static let title = "Operation"

    static let settings: [Setting] = [
        Setting(
            "production",
            "Refuses settings that are for development only",
            see: "Deployment",
            \.server.isProduction,
            .flag
        ),
        Setting(
            "log-level",
            "The least severe level that is logged: trace, debug (every request), info, notice, warning, error or critical",
            \.logLevel,
            .choice,
            placeholder: "level"
        ),
        Setting(
            "metrics-listen",
            "Where /metrics is served: a port on loopback, or ADDRESS:PORT",
            \.server.operations.metrics,
            .listenAddress,
            defaultNote: "nowhere"
        ),
        Setting(
            "audit-retention",
            "Entries of the audit trail are deleted after this time",
            \.server.operations.retention.audit.events,
            .duration
        ),
        Setting(
            "refresh-retention",
            "Entries of the audit trail about ordinary refreshes are deleted after this time",
            \.server.operations.retention.audit.plain,
            .duration
        ),
        Setting(
            "drain",
            "A shutdown waits this long for requests under way before it closes their connections; at most 5m",
            \.server.operations.drain,
            .duration(atMost: .seconds(300))
        ),
    ]
}
