// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
package import FreshetMetrics
import FreshetWire
import NIOConcurrencyHelpers

/// Counts events of sessions and accounts, for `/metrics`.
package final class SessionMetrics: Sendable {
    /// The labels of a presentation; clients choose some of them, so the number of keys kept is limited.
    private struct PresentationKey: Hashable {
        var call: String
        var outcome: String
        var contract: String?
        var platform: String?
        var version: String?

        var isShort: Bool { (platform?.utf8.count ?? 0) + (version?.utf8.count ?? 0) <= 64 }
    }

    /// The series that count a presentation.
    private struct PresentationSeries {
        var all: Int
        /// The series of a refresh; `nil` for another operation.
        var refresh: (version: Int, duration: Int)?
    }

    private struct Known {
        var versions = VersionBuckets()
        var series: [PresentationKey: PresentationSeries] = [:]
    }

    private static let maximumKeys = 1024
    private static let expiryReasons = EndReason.allCases.filter { $0.details.cause == .expiry }.map(\.rawValue)

    /// Counters without labels that stay at zero in normal operation.
    static let nearZero = [
        "freshet_lost_commits_total", "freshet_forged_tokens_total", "freshet_tokens_under_unknown_keys_total",
        "freshet_clock_jumps_total", "freshet_database_errors_total", "freshet_unexpected_errors_total",
    ]

    private let metrics: ServerMetrics
    /// The contracts served; any other name gets the label `other`.
    private let contracts: Set<String>
    private let known = NIOLockedValueBox(Known())

    package init(_ metrics: ServerMetrics, contracts: Set<String> = []) {
        self.metrics = metrics
        self.contracts = contracts
        // The counters start at zero: an alert on a counter that does not exist yet would miss its first increment.
        for reason in EndReason.allCases {
            metrics.count("freshet_sign_outs_total", [("reason", reason.rawValue)], by: 0)
        }
        for cause in EndReason.allCases where cause.isTheft {
            metrics.count("freshet_reuse_total", [("cause", cause.rawValue)], by: 0)
        }
        for reason in Self.expiryReasons {
            metrics.count("freshet_expired_presentations_total", [("reason", reason)], by: 0)
        }
        for name in Self.nearZero { metrics.count(name, by: 0) }
        for cause in MailDropCause.allCases {
            metrics.count("freshet_mail_dropped_total", [("cause", cause.rawValue)], by: 0)
        }
        for cause in MailRefusal.allCases {
            metrics.count("freshet_mail_turned_away_total", [("cause", cause.rawValue)], by: 0)
        }
    }

    /// Counts an event.
    package func record(_ event: ServerEvent) {
        switch event {
        case .revoked: break
        case .login(let session):
            metrics.count(
                "freshet_logins_total",
                [("dialect", contractLabel(session)), ("platform", Self.platform(session.device))]
            )
        case .loginRefused(let refusal):
            metrics.count("freshet_logins_refused_total", [("by", refusal.method.rawValue)])
        case .operatorActed(let kind): metrics.count("freshet_operator_acts_total", [("act", kind.rawValue)])
        case .presented(let presentation): record(presentation)
        case .ended(let ids, _, let reason, _, let ender):
            metrics.count("freshet_sign_outs_total", [("reason", reason.label)], by: Double(ids.count))
            if ender == .anotherProcess {
                metrics.count("freshet_sign_outs_elsewhere_total", [("reason", reason.label)], by: Double(ids.count))
            }
            if reason.isTheft {
                metrics.count("freshet_reuse_total", [("cause", reason.rawValue)], by: Double(ids.count))
            }
        }
    }

    private func record(_ presentation: ServerEvent.Presentation) {
        let session = presentation.session
        let key = PresentationKey(
            call: presentation.call,
            outcome: presentation.outcome,
            contract: session.contract,
            platform: session.device.platform,
            version: session.device.appVersion
        )
        let series = known.withLockedValue { known in known.series[key] ?? makeSeries(key, session, &known) }
        metrics.update { table in
            table.count(at: series.all)
            guard let refresh = series.refresh else { return }
            table.count(at: refresh.version)
            table.observe(at: refresh.duration, presentation.duration.inSeconds)
        }
        // An expiry is not stored and emits no event; it is seen here.
        if Self.expiryReasons.contains(presentation.outcome) {
            metrics.count("freshet_expired_presentations_total", [("reason", presentation.outcome)])
        }
        if presentation.outcome == "forged" { metrics.count("freshet_forged_tokens_total") }
        if presentation.outcome == "key_not_here_yet" { metrics.count("freshet_tokens_under_unknown_keys_total") }
        if presentation.lostCommits > 0 {
            metrics.count("freshet_lost_commits_total", by: Double(presentation.lostCommits))
        }
    }

    private func makeSeries(
        _ key: PresentationKey,
        _ session: ServerEvent.SessionFacts,
        _ known: inout Known
    ) -> PresentationSeries {
        let version = known.versions.bucket(key.version)
        let labels = [
            ("call", key.call), ("outcome", key.outcome), ("dialect", contractLabel(session)),
            ("platform", Self.platform(session.device)),
        ]
        let series = metrics.update { table in
            PresentationSeries(
                all: table.counter("freshet_presentations_total", labels),
                refresh: key.call == "refresh"
                    ? (
                        table.counter("freshet_refreshes_by_version_total", [("version", version)]),
                        table.histogram("freshet_refresh_seconds", [])
                    ) : nil
            )
        }
        // Clients choose these values, which must neither exhaust memory nor displace other clients' keys.
        if known.series.count >= Self.maximumKeys { known.series = [:] }
        if key.isShort { known.series[key] = series }
        return series
    }

    private func contractLabel(_ session: ServerEvent.SessionFacts) -> String {
        guard let name = session.contract else { return "native" }
        return contracts.contains(name) ? name : "other"
    }

    private static func platform(_ device: Device) -> String { platform(device.platform) }

    /// Returns the label of a platform that a client names, from a closed set.
    static func platform(_ name: String?) -> String {
        guard let name = name?.lowercased() else { return "unknown" }
        return platforms.first { name.hasPrefix($0) } ?? "other"
    }

    private static let platforms = [
        "ios", "ipados", "macos", "tvos", "watchos", "visionos", "linux", "android", "windows", "web",
    ]
}
