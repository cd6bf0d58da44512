// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractLint {
    /// Checks that every rule can match, and that the responses that matter have a rule.
    mutating func checkReachability() {
        let coverage = RuleCoverage(rules: document.rules)
        for (index, rule) in document.rules.enumerated() {
            let path = Self.rule(index)
            if let pair = Self.contradiction(in: rule.conditions) {
                error(
                    "\(path).if",
                    "No response meets both conditions on '\(pair.place)', so the rule never applies.",
                    "Remove one of them."
                )
            } else if let shadow = coverage.shadow(of: index) {
                reportShadow(shadow, of: rule, path)
            }
        }
        checkAccessExpired()
        let ends = document.rules.contains { $0.outcome == .sessionEnded && $0.channels.contains(.refresh) }
        if document.rotation != .none, !ends {
            error(
                "$.classify",
                "No response to a refresh ends the session: with an invalid token the client retries forever.",
                "Add a rule on 'refresh' with the outcome 'sessionEnded'."
            )
        }
    }

    private mutating func reportShadow(_ shadow: RuleCoverage.Shadow, of rule: ClassificationRule, _ path: String) {
        let channels = shadow.channels.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
        let subject =
            shadow.channels == rule.channels ? "This rule never holds" : "On \(channels) this rule never holds"
        let takers = shadow.by.map(Self.rule).joined(separator: ", ")
        let problem = "\(subject): \(takers) \(shadow.by.count == 1 ? "matches" : "match") every such response first."
        let isSame = shadow.by.allSatisfy {
            document.rules[$0].outcome == rule.outcome && document.rules[$0].reason == rule.reason
        }
        if isSame {
            warning(path, problem, "Remove this rule: its outcome is the same.")
        } else {
            error(path, problem, "Move this rule before \(takers), or remove it.")
        }
    }

    private static func contradiction(in conditions: [Condition]) -> Condition? {
        conditions.enumerated().first { index, condition in
            conditions[..<index].contains { $0.excludes(condition) }
        }?.element
    }

    /// Checks that some response means an expired token; otherwise no response triggers a refresh.
    private mutating func checkAccessExpired() {
        let api = document.rules.filter { $0.channels.contains(.api) }
        guard document.rotation != .none,
            !api.contains(where: { $0.outcome == .accessExpired || $0.outcome == .sessionEnded }),
            let taker = document.rules.firstIndex(where: { rule in
                rule.channels.contains(.api) && rule.covers(401) && rule.conditions.isEmpty
            })
        else { return }
        warning(
            Self.rule(taker),
            "It matches every 401 on 'api', so no response means that the access token has expired.",
            "Add a rule with the outcome 'accessExpired' for the backend's response in that case."
        )
    }
}
