// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire

/// The state of the keys and the store.
struct OperatorHealth {
    /// A key in the table.
    struct Key: Sendable {
        var what: String
        var number: String
        var state: String
        var since: String
        var next: String
    }

    struct Fact: Sendable {
        var name: String
        var value: String
    }

    let parts: OperatorPagesParts
    let now: Timestamp

    /// Conditions that need an operator's attention.
    var warnings: [String] {
        var warnings: [String] = []
        if !parts.clock.isTrusted {
            warnings.append(
                "This machine's clock disagrees with others. Expiry is not final and the clean-up is paused until it is right."
            )
        }
        let dropped = parts.audit.figures.dropped
        if dropped.plain + dropped.others > 0 {
            let count = OperatorText.plural(dropped.plain + dropped.others, "event")
            warnings.append("The audit trail dropped \(count) since the start; histories may be incomplete.")
        }
        if parts.database.queueLength > AdmissionLimits().writes / 2 {
            warnings.append("Many writes are queued: the database's disk may be too slow.")
        }
        return warnings
    }

    var keys: [Key] {
        get throws {
            try KeyKind.allCases.flatMap { kind in
                let chain = try parts.keyReloader.administration.chain(kind, now: now)
                return chain.members.map { key($0, of: chain, kind) }
            }
        }
    }

    private func key(_ member: KeySchedule.Member, of chain: KeySchedule, _ kind: KeyKind) -> Key {
        let what = kind == .signing ? "Signs access tokens" : "Authenticates refresh tokens"
        var key = Key(what: what, number: "\(member.id)", state: "published, waits", since: "", next: "-")
        func since(_ milliseconds: Int64) -> String {
            // A key whose start was not recorded has the current time as its start.
            milliseconds >= now.milliseconds
                ? "not noted" : OperatorText.relativeTime(Timestamp(milliseconds: milliseconds), from: now)
        }
        key.since = since(member.addedAt)
        if member.id == chain.current {
            key.state = "in use"
            key.since = since(chain.currentSince)
            if let promotion = chain.promotion {
                let distance = OperatorText.relativeTime(Timestamp(milliseconds: promotion.at), from: now)
                key.next = "key \(promotion.id) is used from \(distance)"
            } else if let rotation = parts.keyRotation {
                let due = Timestamp(milliseconds: chain.currentSince) + rotation
                key.next = due <= now ? "due" : "next key \(OperatorText.relativeTime(due, from: now))"
            } else {
                key.next = "only by hand"
            }
        } else if let superseded = member.supersededAt {
            key.state = "still verifies"
            key.since = since(superseded)
            key.next = "is removed when no token needs it"
        } else if let promotion = chain.promotion, promotion.id == member.id {
            key.state = "published, is next"
        }
        return key
    }

    var store: [Fact] {
        get async throws {
            let sizes = Dictionary(parts.database.sizes.map { ($0.part, $0.bytes) }) { $1 }
            let house = parts.cleanup.status
            let backup = try await parts.database.read { try LastBackup.get(in: $0) }
            let audit = parts.audit.figures
            let deleted = house.deleted.values.reduce(0, +)
            return [
                Fact(name: "Database", value: OperatorText.bytes(sizes["database"] ?? 0)),
                Fact(name: "Write-ahead log (WAL)", value: OperatorText.bytes(sizes["log"] ?? 0)),
                Fact(name: "Writes that wait", value: ChartText.count(parts.database.queueLength)),
                Fact(name: "Queued audit events", value: ChartText.count(audit.waiting)),
                Fact(
                    name: "Last backup by freshet",
                    value: backup.map { OperatorText.relativeTime($0, from: now) } ?? "none is known"
                ),
                Fact(
                    name: "Clean-up",
                    value: house.countedAt.map { "ran \(OperatorText.relativeTime($0, from: now))" }
                        ?? "has not run yet"
                ),
                Fact(name: "Rows deleted since the start", value: OperatorText.plural(deleted, "row")),
                Fact(name: "Clock", value: parts.clock.isTrusted ? "trusted" : "not trusted"),
                Fact(name: "Open sockets", value: ChartText.count(parts.sockets.principals.count)),
                Fact(name: "Ended sessions kept", value: ChartText.count(house.sessions["ended"] ?? 0)),
            ]
        }
    }
}
