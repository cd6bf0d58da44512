// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

/// An analysis of rules that never match because earlier rules cover them.
struct RuleCoverage {
    /// The channels on which a rule never matches, and the rules that cover it.
    struct Shadow: Equatable {
        var channels: Set<ClassificationRule.Channel>
        var by: [Int]
    }

    let rules: [ClassificationRule]

    /// Returns the rules that cover a rule; `nil` if the rule can match on all of its channels.
    func shadow(of index: Int) -> Shadow? {
        let rule = rules[index]
        var shadow = Shadow(channels: [], by: [])
        for channel in rule.channels.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let covering = covering(index, on: channel) else { continue }
            shadow.channels.insert(channel)
            shadow.by += covering.filter { !shadow.by.contains($0) }
        }
        return shadow.channels.isEmpty ? nil : shadow
    }

    /// Returns the earlier rules that together match every response that the rule at `index` would match on a channel.
    private func covering(_ index: Int, on channel: ClassificationRule.Channel) -> [Int]? {
        let rule = rules[index]
        var covering: Set<Int> = []
        for code in rule.codes {
            guard let first = rules[..<index].firstIndex(where: { Self.takes($0, code, channel, from: rule) }) else {
                return nil
            }
            covering.insert(first)
        }
        return covering.sorted()
    }

    /// Whether `earlier` matches every response with this code that `rule` would match.
    private static func takes(
        _ earlier: ClassificationRule,
        _ code: Int,
        _ channel: ClassificationRule.Channel,
        from rule: ClassificationRule
    ) -> Bool {
        guard earlier.channels.contains(channel), (earlier.closeCodes == nil) == (rule.closeCodes == nil),
            earlier.covers(code),
            earlier.conditions.allSatisfy({ wanted in rule.conditions.contains { $0.implies(wanted) } })
        else { return false }
        guard earlier.outcome == .sessionEnded, rule.outcome != .sessionEnded, rule.closeCodes == nil else {
            return true
        }
        // HTML pages, malformed bodies, 429 and 5xx never end a session, so later rules apply to them.
        return code != 429 && code < 500 && rule.conditions.contains(where: \.needsBody)
    }
}

extension ClassificationRule {
    /// All statuses or close codes that the rule matches.
    var codes: [Int] {
        if let closeCodes { return closeCodes.flatMap { Array($0) } }
        return statuses.map { $0.flatMap { Array($0) } } ?? Array(100...599)
    }

    /// Whether the rule matches a status or a close code.
    func covers(_ code: Int) -> Bool {
        (closeCodes ?? statuses)?.contains { $0.contains(code) } ?? true
    }
}
