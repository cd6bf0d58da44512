// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetMetrics
import FreshetWire
import NIOConcurrencyHelpers

/// Counts what happens, for `/metrics`; labels come from small closed sets, whatever clients say.
package final class ServerMetrics: Sendable {
    private struct Figures {
        var table = MetricTable(bounds: ServerMetrics.bounds)
        var versions = VersionBuckets()
        var presentations: [PresentationKey: PresentationSeries] = [:]
        var answers: [AnswerKey: Int] = [:]
        var fastPath: [FastPathKey: Int] = [:]
    }

    /// What clients say is in it, so not many are kept.
    private struct PresentationKey: Hashable {
        var call: String
        var outcome: String
        var contract: String?
        var platform: String?
        var version: String?

        var isShort: Bool { (platform?.utf8.count ?? 0) + (version?.utf8.count ?? 0) <= 64 }
    }

    /// Where a presentation is counted.
    private struct PresentationSeries {
        var all: Int
        /// `nil` for what is no refresh.
        var refresh: (version: Int, duration: Int)?
    }

    private struct AnswerKey: Hashable {
        var route: String
        var statusClass: Int
    }

    private struct FastPathKey: Hashable {
        var call: FastPathRoute
        var way: FastPathEntry
    }

    /// More keys than this are not kept.
    private static let maximumKeys = 1024

    /// From a fraction of a millisecond up: a refresh takes less than one.
    static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private static let expiryReasons = EndReason.allCases.filter { $0.details.cause == .expiry }.map(\.rawValue)

    private let figures = NIOLockedValueBox(Figures())
    /// The contracts that are served; another name is none of ours.
    private let contracts: Set<String>

    init(contracts: Set<String> = []) {
        self.contracts = contracts
        // An alarm on a counter that does not exist yet would not fire at its first step.
        for reason in EndReason.allCases { count("freshet_sign_outs_total", [("reason", reason.rawValue)], by: 0) }
        for cause in EndReason.allCases where cause.isTheft {
            count("freshet_reuse_total", [("cause", cause.rawValue)], by: 0)
        }
        for name in Self.zeroInitializedCounters { count(name, by: 0) }
        for cause in MailDropCause.allCases {
            count("freshet_mail_dropped_total", [("cause", cause.rawValue)], by: 0)
        }
        for cause in MailRefusal.allCases {
            count("freshet_mail_turned_away_total", [("cause", cause.rawValue)], by: 0)
        }
    }

    /// Counters without labels that stay at nothing as long as all is well.
    static let zeroInitializedCounters = [
        "freshet_lost_commits_total", "freshet_forged_tokens_total", "freshet_tokens_under_unknown_keys_total",
        "freshet_clock_jumps_total", "freshet_database_errors_total", "freshet_unexpected_errors_total",
    ]

    /// Everything that was counted so far.
    var samples: PrometheusSamples { figures.withLockedValue { $0.table }.samples }

    /// The same, as Prometheus reads it.
    var text: String { samples.text }

    func count(_ name: String, _ labels: [(String, String)] = [], by amount: Double = 1) {
        figures.withLockedValue { $0.table.count(name, labels, by: amount) }
    }

    func observe(_ name: String, _ span: Duration, _ labels: [(String, String)] = []) {
        figures.withLockedValue { $0.table.observe(name, span.inSeconds, labels) }
    }

    // MARK: - What is told

    /// An answer left; the route is the path as it was registered, so that no client names a series.
    func recordResponse(route: String?, status: Int, in span: Duration) {
        let route = route.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "none"
        let statusClass = min(max(status / 100, 0), 9)
        figures.withLockedValue { figures in
            let key = AnswerKey(route: route, statusClass: statusClass)
            let place =
                figures.answers[key]
                ?? figures.table.counter(
                    "freshet_http_requests_total",
                    [("route", route), ("status", "\(statusClass)xx")]
                )
            if figures.answers.count < Self.maximumKeys { figures.answers[key] = place }
            figures.table.count(at: place)
        }
        if status == 429 || status == 503 {
            count("freshet_requests_turned_away_total", [("route", route), ("status", "\(status)")])
        }
        if route.hasPrefix(NativePath.loginPrefix) || route == NativePath.signup {
            observe("freshet_login_seconds", span)
        }
    }

    /// A request was taken without the router.
    func count(_ call: FastPathRoute, by way: FastPathEntry) {
        figures.withLockedValue { figures in
            let key = FastPathKey(call: call, way: way)
            let place =
                figures.fastPath[key]
                ?? figures.table.counter("freshet_lane_requests_total", [("route", call.path), ("way", way.rawValue)])
            figures.fastPath[key] = place
            figures.table.count(at: place)
        }
    }

    /// Something was judged, begun or ended.
    func record(_ event: ServerEvent) {
        switch event {
        case .revoked: break
        case .login(let session):
            count(
                "freshet_logins_total",
                [("dialect", contractLabel(session)), ("platform", Self.platform(session.device))]
            )
        case .loginRefused(let refusal): count("freshet_logins_refused_total", [("by", refusal.method.rawValue)])
        case .operatorActed(let kind): count("freshet_operator_acts_total", [("act", kind.rawValue)])
        case .presented(let presentation): record(presentation)
        case .ended(let ids, _, let reason, _, let ender):
            count("freshet_sign_outs_total", [("reason", reason.label)], by: Double(ids.count))
            if ender == .anotherProcess {
                count("freshet_sign_outs_elsewhere_total", [("reason", reason.label)], by: Double(ids.count))
            }
            if reason.isTheft { count("freshet_reuse_total", [("cause", reason.rawValue)], by: Double(ids.count)) }
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
        figures.withLockedValue { figures in
            let places = figures.presentations[key] ?? self.places(key, session, &figures)
            figures.table.count(at: places.all)
            guard let refresh = places.refresh else { return }
            figures.table.count(at: refresh.version)
            figures.table.observe(at: refresh.duration, presentation.duration.inSeconds)
        }
        // An end in time is written nowhere; it shows here.
        if Self.expiryReasons.contains(presentation.outcome) {
            count("freshet_expired_presentations_total", [("reason", presentation.outcome)])
        }
        if presentation.outcome == "forged" { count("freshet_forged_tokens_total") }
        if presentation.outcome == "key_not_here_yet" { count("freshet_tokens_under_unknown_keys_total") }
        if presentation.lostCommits > 0 { count("freshet_lost_commits_total", by: Double(presentation.lostCommits)) }
    }

    private func places(
        _ key: PresentationKey,
        _ session: ServerEvent.SessionFacts,
        _ figures: inout Figures
    ) -> PresentationSeries {
        let all = figures.table.counter(
            "freshet_presentations_total",
            [
                ("call", key.call), ("outcome", key.outcome), ("dialect", contractLabel(session)),
                ("platform", Self.platform(session.device)),
            ]
        )
        var places = PresentationSeries(all: all)
        if key.call == "refresh" {
            let version = figures.versions.bucket(key.version)
            places.refresh = (
                figures.table.counter("freshet_refreshes_by_version_total", [("version", version)]),
                figures.table.histogram("freshet_refresh_seconds", [])
            )
        }
        // What clients invent must neither grow the memory nor keep the others' keys out.
        if figures.presentations.count >= Self.maximumKeys { figures.presentations = [:] }
        if key.isShort { figures.presentations[key] = places }
        return places
    }

    private func contractLabel(_ session: ServerEvent.SessionFacts) -> String {
        guard let name = session.contract else { return "native" }
        return contracts.contains(name) ? name : "other"
    }

    private static func platform(_ device: Device) -> String { platform(device.platform) }

    /// The platform that a client names, of those that there are.
    static func platform(_ name: String?) -> String {
        guard let name = name?.lowercased() else { return "unknown" }
        return platforms.first { name.hasPrefix($0) } ?? "other"
    }

    private static let platforms = [
        "ios", "ipados", "macos", "tvos", "watchos", "visionos", "linux", "android", "windows", "web",
    ]
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
