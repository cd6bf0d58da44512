// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    /// The figures of many histories.
    package struct HistorySummary: Sendable {
        private var steps: [Int] = []
        private var calls = 0
        private var fingerprint: UInt64 = 0
        private var successes = 0
        private var actions: [Action.Kind: (times: Int, histories: Int)] = [:]
        private var limits: [ProtocolLimit: Int] = [:]
        private var throttled = (byServers: 0, byGateway: 0)
        private var unknownErrors = 0
        private var olderClients = 0
        private var apps: [String: Int] = [:]
        private var faults: [NetworkFault: (times: Int, histories: Int)] = [:]
        private var orders = HistoryReport.Orders()
        private var ordering = 0
        private var files = (histories: 0, cuts: 0, losses: 0)
        private var databaseFaults: [DatabaseFaults.Kind: (times: Int, histories: Int)] = [:]
        private var parts: [String: Int] = [:]
        private var slowMessages = (times: 0, histories: 0)
        private var expiredSessions = (times: 0, histories: 0)
        private var historiesWithSharedDatabase = 0
        private var sockets = SocketCounts()
        private var historiesWithSockets = 0
        private var resources = (counts: ResourceServerCounts(), histories: 0)
        private var connections = ConnectionCounts()
        private var historiesWithConnections = 0
        private var foreign = ForeignSummary()
        private var oauth = OAuthReport()
        private var historiesWithOAuth = 0
        /// The number of histories that violated an invariant.
        package private(set) var violated = 0

        /// The number of histories.
        package var histories: Int { steps.count }

        package init() {}

        package mutating func add(_ report: HistoryReport) {
            steps.append(report.steps)
            calls += report.calls
            fingerprint ^= report.fingerprint
            successes += report.successes
            for (kind, times) in report.actions {
                let before = actions[kind, default: (0, 0)]
                actions[kind] = (before.times + times, before.histories + 1)
            }
            orders.stored += report.orders.stored
            orders.applied += report.orders.applied
            orders.refused += report.orders.refused
            if report.orders.stored > 0 { ordering += 1 }
            for (fault, times) in report.faults {
                let before = faults[fault, default: (0, 0)]
                faults[fault] = (before.times + times, before.histories + 1)
            }
            if let counts = report.connections {
                connections += counts
                historiesWithConnections += 1
            }
            if let counts = report.databaseFaults {
                for (kind, times) in counts {
                    let before = databaseFaults[kind, default: (0, 0)]
                    databaseFaults[kind] = (before.times + times, before.histories + 1)
                }
                historiesWithSharedDatabase += 1
            }
            if let counts = report.sockets {
                sockets += counts
                historiesWithSockets += 1
            }
            if let counts = report.resources {
                resources.counts += counts
                resources.histories += 1
            }
            for part in report.parts { parts[part, default: 0] += 1 }
            slowMessages.times += report.slowMessages
            if report.slowMessages > 0 { slowMessages.histories += 1 }
            expiredSessions.times += report.expiredSessions
            if report.expiredSessions > 0 { expiredSessions.histories += 1 }
            if report.hasFileStores { files.histories += 1 }
            files.cuts += report.devicePowerCuts
            files.losses += report.lossyDevicePowerCuts
            limits.merge(report.limits) { $0 + $1 }
            unknownErrors += report.unknownErrors
            olderClients += report.olderClients
            throttled.byServers += report.throttled
            throttled.byGateway += report.throttledByGateway
            if let app = report.app { apps[app, default: 0] += 1 }
            if let report = report.foreign { foreign.add(report) }
            if let report = report.oauth {
                oauth += report
                historiesWithOAuth += 1
            }
            if !report.violations.isEmpty { violated += 1 }
        }

        package var text: String {
            let median = steps.isEmpty ? 0 : steps.sorted()[steps.count / 2]
            var lines = [
                "histories \(steps.count), violated \(violated), median of steps \(median)",
                "calls \(calls), successful \(successes)",
                "orders stored in outboxes: \(orders.stored) in \(ordering) histories, "
                    + "applied \(orders.applied), refused \(orders.refused)",
            ]
            lines.append("\(connections.text) in \(historiesWithConnections) histories")
            lines.append("\(sockets.text) in \(historiesWithSockets) histories")
            lines.append("\(resources.counts.text) in \(resources.histories) histories")
            lines.append("two servers on one database in \(historiesWithSharedDatabase) histories")
            for kind in DatabaseFaults.Kind.allCases {
                let (times, histories) = databaseFaults[kind, default: (0, 0)]
                lines.append("\(kind.rawValue): \(times) times in \(histories) histories")
            }
            for fault in NetworkFault.allCases {
                let (times, histories) = faults[fault, default: (0, 0)]
                lines.append("\(fault.rawValue): \(times) times in \(histories) histories")
            }
            lines.append(
                "messages that took up to half a minute: \(slowMessages.times) in \(slowMessages.histories) histories"
            )
            lines.append("expired sessions: \(expiredSessions.times) in \(expiredSessions.histories) histories")
            for (part, histories) in parts.sorted(by: { $0.key < $1.key }) {
                lines.append("with \(part): \(histories) histories")
            }
            for kind in Action.Kind.allCases {
                let (times, histories) = actions[kind, default: (0, 0)]
                lines.append("\(kind.rawValue): \(times) times in \(histories) histories")
            }
            for (app, histories) in apps.sorted(by: { $0.key < $1.key }) {
                lines.append("contract of \(app): \(histories) histories")
            }
            lines.append("429 responses: \(throttled.byServers) of servers, \(throttled.byGateway) of a gateway")
            lines.append("responses with an unknown error code: \(unknownErrors)")
            lines.append(
                "file stores in \(files.histories) histories: power failures \(files.cuts), with lost changes \(files.losses)"
            )
            lines.append("devices with an older client at the end: \(olderClients)")
            for limit in ProtocolLimit.allCases { lines.append("\(limit.rawValue): \(limits[limit, default: 0])") }
            lines += foreign.lines
            lines.append("\(oauth.text) in \(historiesWithOAuth) histories")
            lines.append("fingerprint of all \(String(fingerprint, radix: 16))")
            return lines.joined(separator: "\n")
        }
    }
#endif
