// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension ClassificationRule {
    /// Reasons that contracts share, beside those of our own protocol.
    package static let reasons: Set<String> = [
        "expired", "revoked", "reused", "disabled", "unknown", "logout", "logout_all", "revoked_by_user",
        "revoked_by_operator", "fork", "reuse", "stale_holder", "idle_timeout", "absolute_timeout", "user_disabled",
    ]

    init?(_ spot: Spot) {
        let keys = ["on", "status", "close", "if", "outcome", "reason", "reasonAt", "note"]
        guard let fields = spot.fields(keys) else { return nil }
        let channels = fields.required("on")?.oneOrMore().compactMap { $0.choice(of: Channel.self) }
        let outcome = fields.required("outcome")?.choice(of: Outcome.self)
        guard let channels, let outcome else { return nil }
        self.init(channels: Set(channels), outcome: outcome)
        if channels.isEmpty { fields["on"]?.mistake("A rule needs at least one channel.") }
        statuses = fields["status"]?.oneOrMore().compactMap { Self.range($0, 100...599) }
        closeCodes = fields["close"]?.oneOrMore().compactMap { Self.range($0, 1000...4999) }
        conditions = fields["if"].map(Condition.list) ?? []
        reasonAt = fields["reasonAt"].flatMap { Selector($0) }
        note = fields["note"]?.string()
        if let reason = fields["reason"], let text = reason.text() {
            if !Self.reasons.contains(text) {
                reason.mistake("'\(text)' is no reason; those are \(Self.reasons.sorted().joined(separator: ", ")).")
            }
            self.reason = text
        }
        if outcome != .sessionEnded, reason != nil || reasonAt != nil {
            spot.mistake("Only the outcome 'sessionEnded' has a reason.")
        }
        if closeCodes != nil, self.channels != [.socket] {
            fields["close"]?.mistake("Only sockets have close codes; 'on' must be 'socket' alone.")
        }
        if outcome == .superseded, !self.channels.isSubset(of: [.refresh, .report]) {
            spot.mistake("Only a refresh or a report can be superseded.")
        }
        checkEnd(spot)
    }

    /// A session never ends by an answer that a fault or a proxy may give.
    private func checkEnd(_ spot: Spot) {
        guard outcome == .sessionEnded else { return }
        for range in statuses ?? [] where range.contains(429) || range.upperBound >= 500 {
            let status = range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
            spot.mistake(
                "Status \(status) says nothing about the session: 'sessionEnded' cannot follow from 429 or 5xx."
            )
        }
        if statuses == nil, conditions.isEmpty, closeCodes == nil {
            spot.mistake("A rule that ends the session needs a status or a condition.")
        }
    }

    /// `401`, `"4xx"` or `"400-403"`.
    private static func range(_ spot: Spot, _ bounds: ClosedRange<Int>) -> ClosedRange<Int>? {
        var range: ClosedRange<Int>?
        switch spot.value {
        case .number(let number): range = number.int.map { $0...$0 }
        case .string(let text):
            if text.count == 3, text.hasSuffix("xx"), let first = Int(text.prefix(1)) {
                range = first * 100...first * 100 + 99
            } else {
                let ends = text.split(separator: "-").map { Int($0) }
                if ends.count == 2, let low = ends[0], let high = ends[1], low <= high { range = low...high }
            }
        default: break
        }
        if let range, bounds.contains(range.lowerBound), bounds.contains(range.upperBound) { return range }
        spot.mistake(
            "Here stands a number from \(bounds.lowerBound) to \(bounds.upperBound), a class like '4xx', or a range like "
                + "'400-403'."
        )
        return nil
    }
}
