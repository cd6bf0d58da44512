// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetMail
import FreshetMetrics

/// Gauges of the server's current state, read at each scrape of the metrics.
struct ServerGauges: Sendable {
    let parts: ServerParts

    /// All counters and gauges.
    var samples: PrometheusSamples {
        var samples = parts.metrics.samples
        add(to: &samples)
        return samples
    }

    private func add(to samples: inout PrometheusSamples) {
        func set(_ name: String, _ value: some BinaryInteger, _ labels: [(String, String)] = []) {
            samples.set(PrometheusSeries(name, labels), to: Double(value))
        }
        func total(_ name: String, _ value: some BinaryInteger, _ labels: [(String, String)] = []) {
            samples.count(PrometheusSeries(name, labels), by: Double(value))
        }
        let database = parts.database
        set("freshet_write_queue_length", database.queueLength)
        total("freshet_commits_total", database.commits)
        total("freshet_flushes_total", database.flushes)
        set("freshet_password_hashes_under_way", parts.signIn.hasher.count)
        set("freshet_requests_in_flight", parts.admission.requests)
        set("freshet_connections", parts.admission.connections)
        for (reason, count) in parts.admission.refusedConnections.sorted(by: { $0.key.name < $1.key.name }) {
            total("freshet_connections_refused_total", count, [("reason", reason.name)])
        }
        set("freshet_sockets", parts.sockets.principals.count)
        set("freshet_ended_sessions_remembered", parts.sessions.ended.count)
        let audit = parts.audit.figures
        set("freshet_audit_queue_length", audit.waiting)
        total("freshet_audit_dropped_total", audit.dropped.plain, [("kind", "plain")])
        total("freshet_audit_dropped_total", audit.dropped.others, [("kind", "other")])
        let house = parts.cleanup.status
        set("freshet_clock_trusted", parts.clock.isTrusted ? 1 : 0)
        set("freshet_clock_offset_seconds", parts.clock.offset.wholeSeconds)
        for (state, count) in house.sessions.sorted(by: { $0.key < $1.key }) {
            set("freshet_sessions", count, [("state", state)])
        }
        for (table, count) in house.deleted.sorted(by: { $0.key < $1.key }) {
            total("freshet_rows_deleted_total", count, [("table", table)])
        }
        if let mail = parts.sessions.notices.mail.queue?.figures {
            set("freshet_mail_queue_length", mail.waiting, [("state", "waiting")])
            set("freshet_mail_queue_length", mail.deferred, [("state", "deferred")])
            set("freshet_mail_queue_length", mail.inFlight, [("state", "in_flight")])
            set("freshet_mail_oldest_seconds", mail.oldestAge.wholeSeconds)
            set("freshet_mail_relay_available", mail.isRelayAvailable ? 1 : 0)
        }
        for (part, bytes) in database.sizes { set("freshet_database_bytes", bytes, [("part", part)]) }
    }
}
