// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

/// Which conversation an answer belongs to: the same status means different things on each.
typealias Channel = ClassificationRule.Channel

/// Says what an answer means: the contract's own rules in their order, then those that hold for every backend.
struct Classifier: Sendable {
    private let rules: [Channel: [PlacedRule]]
    private let reply: TokenResponseDefinition
    private let errorCode: [Selector]
    private let errorMessage: [Selector]
    /// Whether even a successful answer to the app may mean that the access token is refused.
    let inspectsSuccesses: Bool

    init(_ document: ContractDocument) {
        var rules: [Channel: [PlacedRule]] = [:]
        for (index, rule) in document.rules.enumerated() where rule.closeCodes == nil {
            for channel in rule.channels { rules[channel, default: []].append((index, rule)) }
        }
        self.rules = rules
        reply = document.reply
        errorCode = document.errorCode
        errorMessage = document.errorMessage
        inspectsSuccesses =
            rules[.api]?.contains { $0.rule.statuses?.contains { $0.lowerBound < 400 } ?? true } ?? false
    }

    /// A rule, and where in the contract's list it stands.
    typealias PlacedRule = (index: Int, rule: ClassificationRule)

    /// What an answer means, from its channel, status, headers and body alone.
    func classify(_ answer: HTTPReply, on channel: Channel) -> Outcome {
        var reader = ReplyReader(answer, reply)
        if let (_, rule) = deciding(&reader, channel) { return outcome(of: rule, &reader, on: channel) }
        return builtIn(&reader, on: channel)
    }

    /// The contract's own rule that decides about an answer; `nil` if one decides that holds for every backend.
    func rule(for answer: HTTPReply, on channel: Channel) -> PlacedRule? {
        var reader = ReplyReader(answer, reply)
        return deciding(&reader, channel)
    }

    /// Whether an answer to a refresh ends the session by its status alone: the contract knows no words for it.
    func endsByStatusAlone(_ answer: HTTPReply) -> Bool {
        guard let (_, rule) = rule(for: answer, on: .refresh) else { return false }
        return rule.outcome == .sessionEnded && rule.conditions.isEmpty
    }

    private func deciding(_ reader: inout ReplyReader, _ channel: Channel) -> PlacedRule? {
        for (index, rule) in rules[channel] ?? [] where rule.matches(reader.answer.status) {
            if reader.holds(rule.conditions), Self.mayDecide(rule, &reader) { return (index, rule) }
        }
        return nil
    }

    /// A page, a broken body or a server's fault never ends a session, whatever the contract says.
    private static func mayDecide(_ rule: ClassificationRule, _ reader: inout ReplyReader) -> Bool {
        guard rule.outcome == .sessionEnded else { return true }
        let answer = reader.answer
        guard answer.status < 500, answer.status != 429, !answer.isPage else { return false }
        return answer.body.isEmpty || answer.mediaType == "text/plain" || reader.root() != nil
    }

    private func outcome(of rule: ClassificationRule, _ reader: inout ReplyReader, on channel: Channel) -> Outcome {
        let delay = reader.answer.retryDelay
        switch rule.outcome {
        case .delivered: return delivered(&reader, channel)
        case .accessExpired: return .accessExpired
        case .sessionEnded:
            let told = rule.reasonAt.flatMap { reader.value(fromRoot: $0)?.text }
            return .sessionEnded(SignOutReason(wire: told ?? rule.reason))
        case .superseded: return .superseded
        case .stepUp: return .stepUp
        case .forbidden: return .forbidden
        case .throttled: return .throttled(retryAfter: delay)
        case .transient: return .transient(retryAfter: delay)
        case .refused: return refused(&reader)
        case .misconfigured: return .misconfigured(diagnosis(&reader, rule.note))
        case .contractViolation: return .contractViolation(diagnosis(&reader, rule.note))
        }
    }

    /// What the answer means where the contract has no rule for it.
    private func builtIn(_ reader: inout ReplyReader, on channel: Channel) -> Outcome {
        for rule in ClassificationRule.builtIn(on: channel) where rule.matches(reader.answer.status) {
            guard reader.holds(rule.conditions) else { continue }
            let saysSomething = ![.refused, .misconfigured].contains(rule.outcome) || reader.root()?.object != nil
            // Only a body that can be read says anything; pages and proxies say nothing about the session.
            guard saysSomething else { break }
            var rule = rule
            rule.note = nil
            return outcome(of: rule, &reader, on: channel)
        }
        return .transient(retryAfter: nil)
    }

    private func delivered(_ reader: inout ReplyReader, _ channel: Channel) -> Outcome {
        guard channel != .api, channel != .socket else { return .delivered }
        guard channel == .login || channel == .refresh else {
            // A captive portal answers 200 with a page. Some frameworks call an empty body HTML; that is none.
            return reader.answer.isPage && !reader.answer.body.isEmpty ? .transient(retryAfter: nil) : .delivered
        }
        let answer = reader.answer
        guard answer.body.count <= Contract.largestAnswer else { return .contractViolation("the answer is too large") }
        if answer.isPage { return .transient(retryAfter: nil) }
        let isInBody = reply.access.contains { if case .pointer = $0 { true } else { false } }
        if answer.body.isEmpty { return isInBody ? .contractViolation("the answer is empty") : .delivered }
        guard isInBody || reader.root() != nil else { return .delivered }
        guard reader.root() != nil else { return .contractViolation("the answer cannot be read") }
        guard reader.holds(reply.success) else {
            return channel == .login ? refused(&reader) : .contractViolation("the answer is no success")
        }
        return .delivered
    }

    /// A refusal, in the words of the answer.
    func refusal(in answer: HTTPReply) -> Outcome {
        var reader = ReplyReader(answer, reply)
        return refused(&reader)
    }

    private func refused(_ reader: inout ReplyReader) -> Outcome {
        let code = firstText(errorCode, &reader) ?? "status_\(reader.answer.status)"
        let message = firstText(errorMessage, &reader)
        return .refused(code: String(code.prefix(100)), message: message.map { String($0.prefix(500)) })
    }

    /// A developer's clue: status and code, nothing that could be a secret.
    private func diagnosis(_ reader: inout ReplyReader, _ note: String?) -> String {
        let code = firstText(errorCode, &reader).map { String($0.prefix(100)) }
        let answer = [String(reader.answer.status), code].compactMap(\.self).joined(separator: " ")
        return [answer, note].compactMap(\.self).joined(separator: ": ")
    }

    private func firstText(_ places: [Selector], _ reader: inout ReplyReader) -> String? {
        for place in places { if let text = reader.value(fromRoot: place)?.text { return text } }
        return nil
    }
}

extension ClassificationRule {
    fileprivate func matches(_ status: Int) -> Bool {
        statuses?.contains { $0.contains(status) } ?? true
    }
}

extension Contract {
    /// What an answer means, from its channel, status, headers and body alone.
    func classify(_ answer: HTTPReply, on channel: Channel) -> Outcome { classifier.classify(answer, on: channel) }
}
