// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import FreshetContract

extension ContractExplanation {
    private typealias Channel = ClassificationRule.Channel

    /// Returns a channel's rules in order, with their meanings and the client's reactions.
    static func answers(_ document: ContractDocument, on channel: ClassificationRule.Channel) -> Section? {
        guard isUsed(channel, document) else { return nil }
        let own = document.rules.filter { $0.channels.contains(channel) }
        let builtIn = ClassificationRule.builtIn(on: channel)
        let coverage = RuleCoverage(rules: own + builtIn)
        func line(_ rule: ClassificationRule) -> Line {
            let does = ClientAction.phrase(rule.outcome, on: channel, isConfirmed: document.rotation == .confirmed)
            return .answer(comes: comes(rule), means: means(rule, on: channel), does: does, note: rule.note)
        }
        // Built-in rules that the contract's own rules cover completely are left out.
        let others = builtIn.enumerated()
            .filter { coverage.shadow(of: own.count + $0.offset) == nil }
        let between = own.isEmpty || others.isEmpty ? [] : [Line.sentence("Otherwise, as with every backend:")]
        return Section(
            title: "Meaning of responses \(title(channel))",
            lines: own.map(line) + between + others.map { line($0.element) }
        )
    }

    private static func isUsed(_ channel: Channel, _ document: ContractDocument) -> Bool {
        switch channel {
        case .api: true
        case .login: document.endpoints.keys.contains(where: \.isLogin)
        case .refresh: document.endpoints[.refresh] != nil
        case .logout: document.endpoints[.logout] != nil
        case .confirm: document.endpoints[.confirm] != nil
        case .report: document.endpoints[.report] != nil
        case .socket: document.socket != nil
        }
    }

    private static func title(_ channel: Channel) -> String {
        switch channel {
        case .api: "to a request of the app"
        case .login: "to a sign-in"
        case .refresh: "to a refresh"
        case .logout: "to a sign-out"
        case .confirm: "to a confirmation"
        case .report: "to a report that a token was overtaken"
        case .socket: "at the socket"
        }
    }

    private static func comes(_ rule: ClassificationRule) -> String {
        var parts: [String] = []
        if let codes = rule.closeCodes { parts.append("close \(ranges(codes))") }
        if let statuses = rule.statuses { parts.append(ranges(statuses)) }
        parts += rule.conditions.map(Phrasing.condition)
        return parts.isEmpty ? "anything else" : parts.joined(separator: ", ")
    }

    private static func ranges(_ ranges: [ClosedRange<Int>]) -> String {
        Phrasing.list(
            ranges.map { range in
                if range.count == 1 { return "\(range.lowerBound)" }
                let isClass = range.lowerBound % 100 == 0 && range.count == 100
                return isClass ? "\(range.lowerBound / 100)xx" : "\(range.lowerBound)-\(range.upperBound)"
            },
            "or"
        )
    }

    private static func means(_ rule: ClassificationRule, on channel: Channel) -> String {
        switch rule.outcome {
        case .delivered: return "the requested result"
        case .accessExpired: return "the access token has expired"
        case .sessionEnded:
            let place = rule.reasonAt.map { "reason at \(Phrasing.place($0))" }
            let reasons = [place, rule.reason == "unknown" ? nil : rule.reason].compactMap(\.self)
            return "the session is over" + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", else ")))")
        case .superseded: return "a newer refresh token is in use"
        case .stepUp: return "the user has to authenticate again"
        case .forbidden: return "the user lacks the permission"
        case .throttled: return "too many requests"
        case .transient: return "nothing can be concluded"
        case .refused: return channel == .login ? "what the user entered is refused" : "it is refused"
        case .misconfigured: return "base URL or contract is wrong"
        case .contractViolation: return "the response violates the contract"
        }
    }
}
