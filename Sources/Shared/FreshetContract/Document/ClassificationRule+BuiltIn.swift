// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension ClassificationRule {
    /// Returns the rules that apply to every backend, after the contract's own rules.
    package static func builtIn(on channel: Channel) -> [ClassificationRule] {
        switch channel {
        case .api, .socket: requests.map { $0.on(channel) }
        case .login: (answers + [refusal] + rest).map { $0.on(channel) }
        case .refresh, .logout, .confirm, .report: (answers + [conflict] + rest).map { $0.on(channel) }
        }
    }

    /// A step-up challenge (RFC 9470).
    private static let wantsMore = Condition(
        .header("WWW-Authenticate"),
        .contains("insufficient_user_authentication")
    )

    private static let requests = [
        rule([401...401, 403...403], .stepUp, if: wantsMore), rule([401...401], .accessExpired),
        rule([403...403], .forbidden), rule([429...429], .throttled),
        rule([408...408, 425...425, 500...599], .transient), rule(nil, .delivered),
    ]

    private static let answers = [
        rule([200...299], .delivered), rule([429...429], .throttled),
        rule([408...408, 425...425, 500...599], .transient),
    ]

    private static let refusal = rule(
        [400...400, 401...401, 403...403, 404...404, 409...409, 422...422],
        .refused,
        note: readable
    )
    private static let conflict = rule([409...409], .transient)
    private static let rest = [rule([400...499], .misconfigured, note: readable), rule(nil, .transient)]
    private static let readable = "if its body can be read; otherwise nothing can be concluded"

    private static func rule(
        _ statuses: [ClosedRange<Int>]?,
        _ outcome: Outcome,
        if condition: Condition? = nil,
        note: String? = nil
    ) -> ClassificationRule {
        var rule = ClassificationRule(channels: [], outcome: outcome)
        rule.statuses = statuses
        rule.conditions = condition.map { [$0] } ?? []
        rule.note = note
        return rule
    }

    private func on(_ channel: Channel) -> ClassificationRule {
        var rule = self
        rule.channels = [channel]
        return rule
    }
}
