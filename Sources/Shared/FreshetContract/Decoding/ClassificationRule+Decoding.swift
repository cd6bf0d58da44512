// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetWire

extension ClassificationRule {
    /// The permitted values of `reason`, in the order of `contract.schema.json`.
    package static let reasons =
        GenericEndReason.allCases.map(\.rawValue) + KnownEndReason.allCases.map(\.rawValue)

    static let keys = ["on", "status", "close", "if", "outcome", "reason", "reasonAt", "note"]

    init?(_ cursor: DecodingCursor) {
        guard let fields = cursor.fields(Self.keys) else { return nil }
        let channels = fields.required("on")?.oneOrMore().compactMap { $0.choice(of: Channel.self) } ?? []
        let outcome = fields.required("outcome")?.choice(of: Outcome.self)
        self.init(channels: Set(channels), outcome: outcome ?? .transient)
        _ = fields.only(of: ["status", "close"])
        statuses = fields["status"]?.oneOrMore().compactMap(Self.status)
        closeCodes = fields["close"]?.oneOrMore().compactMap(Self.closeCode)
        conditions = fields["if"].map(Condition.list) ?? []
        reason = fields["reason"].flatMap(Self.reason)
        reasonAt = fields["reasonAt"].flatMap { Selector($0) }
        note = fields["note"]?.string()
        guard let outcome, !channels.isEmpty else { return nil }
        if outcome != .sessionEnded, fields["reason"] != nil || fields["reasonAt"] != nil {
            cursor.diagnose("Only the outcome 'sessionEnded' has a reason.")
        }
        if let close = fields["close"], self.channels != [.socket] {
            close.diagnose("Only sockets have close codes; 'on' must be 'socket' alone.")
        }
        if outcome == .superseded, !self.channels.isSubset(of: [.refresh, .report]) {
            cursor.diagnose("Only a refresh or a report can be superseded.")
        }
        if outcome == .sessionEnded { checkEnd(fields) }
    }

    /// Rejects a rule that ends the session on a response that may be caused by a failure or a proxy.
    private func checkEnd(_ fields: DecodingFields) {
        for range in statuses ?? [] where range.contains(429) || range.upperBound >= 500 {
            let status = range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
            fields["status"]?.diagnose(
                "Status \(status) says nothing about the session: 'sessionEnded' cannot follow from 429 or 5xx. "
                    + "Name other statuses, or say 'transient'."
            )
        }
        if fields["status"] == nil, fields["if"] == nil, fields["close"] == nil {
            fields.cursor.diagnose("A rule that ends the session needs a status or a condition.")
        }
    }

    private static func reason(_ cursor: DecodingCursor) -> String? {
        guard let text = cursor.text() else { return nil }
        if reasons.contains(text) { return text }
        cursor.diagnose("\(text.quoted) is not a reason; the reasons are \(reasons.sorted().joined(separator: ", ")).")
        return nil
    }

    private static func status(_ cursor: DecodingCursor) -> ClosedRange<Int>? {
        let bounds = 100...599
        if case .string(let text) = cursor.value, text.utf8.count == 3, text.hasSuffix("xx"),
            let first = number(String(text.prefix(1))), bounds.contains(first * 100)
        {
            return first * 100...first * 100 + 99
        }
        if let range = range(cursor.value, bounds) { return range }
        cursor.diagnose("This must be a number from 100 to 599, a class like '4xx', or a range like '400-403'.")
        return nil
    }

    private static func closeCode(_ cursor: DecodingCursor) -> ClosedRange<Int>? {
        if let range = range(cursor.value, 1000...4999) { return range }
        cursor.diagnose("This must be a number from 1000 to 4999, or a range like '4000-4999'.")
        return nil
    }

    /// Parses `401` or `"400-403"`.
    private static func range(_ value: JSONValue, _ bounds: ClosedRange<Int>) -> ClosedRange<Int>? {
        switch value {
        case .number(let number):
            guard let code = number.int, bounds.contains(code) else { return nil }
            return code...code
        case .string(let text):
            let parts = text.unicodeScalars.split(separator: "-", omittingEmptySubsequences: false)
            let ends = parts.map { number(String($0)) }
            guard ends.count == 2, let low = ends[0], let high = ends[1], low <= high, bounds.contains(low),
                bounds.contains(high)
            else { return nil }
            return low...high
        default: return nil
        }
    }

    /// Parses a number that consists of digits only.
    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
