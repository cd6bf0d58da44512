// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetEngine
import FreshetServer

/// The settings of `freshet serve` that concern how it is run.
struct OperationsOptions: ParsableArguments {
    @Option(
        name: .customLong("metrics-listen"),
        help: "Where /metrics is answered: a port of loopback, or ADDRESS:PORT (default: nowhere)."
    )
    var metricsListen: String?

    @Flag(
        name: .customLong("trust-request-id"),
        help: "Take X-Request-Id from requests; only behind a proxy that sets it."
    )
    var trustRequestID = false

    @Flag(
        name: .customLong("behind-proxy"),
        help: "All requests come through a proxy that speaks TLS; needs --trusted-proxy."
    )
    var behindProxy = false

    @Flag(
        name: .customLong("insecure-listen"),
        help: "Listen without TLS beyond loopback: tokens cross the network in the clear."
    )
    var insecureListen = false

    @Option(
        name: .customLong("tls-certificate"),
        help: "A file with the certificate chain, in PEM; read again when it changes."
    )
    var tlsCertificate: String?

    @Option(name: .customLong("tls-key"), help: "A file with the certificate's key, in PEM.")
    var tlsKey: String?

    @Option(name: .customLong("audit-retention"), help: "How long the audit trail is kept (default: 90d).")
    var auditRetention: String?

    @Option(name: .customLong("refresh-retention"), help: "How long it keeps plain refreshes (default: 7d).")
    var refreshRetention: String?

    @Option(name: .customLong("session-retention"), help: "How long a session is kept after its end (default: 90d).")
    var sessionRetention: String?

    @Option(name: .customLong("max-requests"), help: "Requests answered at one time (default: 8000).")
    var maxRequests: Int?

    @Option(name: .customLong("max-connections"), help: "Connections at one time (default: 20000).")
    var maxConnections: Int?

    @Option(
        name: .customLong("connections-per-source"),
        help: "Connections of one network, an IPv4 address or an IPv6 /64 (default: 256)."
    )
    var connectionsPerSource: Int?

    @Option(help: "How long a shutdown waits for requests under way, 5m at most (default: 10s).")
    var drain: String?

    @Option(
        name: .customLong("refreshes-per-session"),
        help: "Refreshes a second of one session from one address, in the long run (default: 1)."
    )
    var refreshesPerSession: Int?

    @Flag(name: .customLong("no-fast-path"), help: "Answer every request by the router, as when looking for a fault.")
    var noFastPath = false

    @Flag(name: .customLong("print-config"), help: "Print the settings and where each comes from, and end.")
    var printConfig = false

    @Flag(name: .customLong("check-config"), help: "Check the settings, and end.")
    var checkConfig = false

    /// What the command line says, by name.
    var commandLine: [String: String?] {
        [
            "metrics-listen": metricsListen, "trust-request-id": trustRequestID ? "true" : nil,
            "behind-proxy": behindProxy ? "true" : nil, "insecure-listen": insecureListen ? "true" : nil,
            "tls-certificate": tlsCertificate, "tls-key": tlsKey, "audit-retention": auditRetention,
            "refresh-retention": refreshRetention, "session-retention": sessionRetention,
            "max-requests": maxRequests.map(String.init), "max-connections": maxConnections.map(String.init),
            "connections-per-source": connectionsPerSource.map(String.init),
            "refreshes-per-session": refreshesPerSession.map(String.init), "drain": drain,
            "no-fast-path": noFastPath ? "true" : nil,
        ]
    }

    /// Whether anything is said, for the double of a backend, which has none of it.
    var isGiven: Bool { commandLine.values.contains { $0 != nil } || printConfig || checkConfig }

    static func read(_ reader: SettingsReader, into settings: inout OperationsConfiguration) throws {
        if let text = reader.text("metrics-listen") {
            guard let address = ListenAddress(text) else {
                throw ToolError.usage("metrics-listen: \(text) is neither a port nor ADDRESS:PORT")
            }
            settings.metrics = address
        }
        settings.trustsRequestID = try reader.flag("trust-request-id")
        settings.hasFastPath = try !reader.flag("no-fast-path")
        settings.isBehindProxy = try reader.flag("behind-proxy")
        settings.allowsInsecureListening = try reader.flag("insecure-listen")
        switch (reader.text("tls-certificate"), reader.text("tls-key")) {
        case (let certificate?, let key?):
            settings.tls = TLSFiles(certificate: URL(filePath: certificate), key: URL(filePath: key))
        case (nil, nil): break
        default: throw ToolError.usage("tls-certificate and tls-key go together")
        }
        settings.retention.events = try reader.duration("audit-retention") ?? settings.retention.events
        settings.retention.plain = try reader.duration("refresh-retention") ?? settings.retention.plain
        settings.endedSessions = try reader.duration("session-retention") ?? settings.endedSessions
        if let drain = try reader.duration("drain") {
            guard drain <= .seconds(300) else { throw ToolError.usage("drain: five minutes at most") }
            settings.drain = drain
        }
        settings.admission.requests =
            try reader.number("max-requests", in: 1...1_000_000) ?? settings.admission.requests
        settings.admission.connections =
            try reader.number("max-connections", in: 1...1_000_000) ?? settings.admission.connections
        if let rate = try reader.number("refreshes-per-session", in: 1...1000) {
            // The same burst in seconds, whatever the rate.
            settings.admission.sessionRateLimit.capacity *= rate
            settings.admission.sessionRateLimit.interval = .milliseconds(1000 / rate)
        }
        settings.admission.connectionsPerSource =
            try reader.number("connections-per-source", in: 1...1_000_000) ?? settings.admission.connectionsPerSource
    }
}
