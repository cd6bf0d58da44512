// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetContract

/// The kind of request that a response belongs to.
///
/// The same status has different meanings on different channels.
typealias Channel = ClassificationRule.Channel

/// Classifies responses by the contract's rules, in order, and then by general rules.
struct Classifier: Sendable {
    private let rules: [Channel: [PlacedRule]]
    private let reply: TokenResponseDefinition
    private let errorCode: [Selector]
    private let errorMessage: [Selector]
    /// Whether a successful response to the app may mean that the access token is refused.
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

    /// A rule with its index in the contract's list.
    typealias PlacedRule = (index: Int, rule: ClassificationRule)

    /// Classifies a response by its channel, status, headers and body only.
    ///
    /// - Parameters:
    ///   - answer: The response.
    ///   - channel: The kind of its request.
    ///   - secrets: The secrets of its request, which some backends repeat in their error.
    /// - Returns: The meaning of the response, without the secrets.
    func classify(_ answer: HTTPReply, on channel: Channel, hiding secrets: [String] = []) -> Outcome {
        var reader = ReplyReader(answer, reply, hiding: secrets)
        if let (_, rule) = deciding(&reader, channel) { return outcome(of: rule, &reader, on: channel) }
        return builtIn(&reader, on: channel)
    }

    /// Returns the contract's rule that matches a response; `nil` if a general rule decides.
    func rule(for answer: HTTPReply, on channel: Channel) -> PlacedRule? {
        var reader = ReplyReader(answer, reply)
        return deciding(&reader, channel)
    }

    /// Whether a response to a refresh ends the session by its status alone, by a rule without conditions.
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

    /// An HTML page, an invalid body or a server error never ends a session, regardless of the contract.
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

    /// Classifies a response for which the contract has no rule.
    private func builtIn(_ reader: inout ReplyReader, on channel: Channel) -> Outcome {
        for rule in ClassificationRule.builtIn(on: channel) where rule.matches(reader.answer.status) {
            guard reader.holds(rule.conditions) else { continue }
            let saysSomething = ![.refused, .misconfigured].contains(rule.outcome) || reader.root()?.object != nil
            // Only a readable body is evidence; HTML pages and proxies do not describe the session.
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
            // A captive portal answers with 200 and a page. An empty body is not a page, even with an HTML content
            // type.
            return reader.answer.isPage && !reader.answer.body.isEmpty ? .transient(retryAfter: nil) : .delivered
        }
        let answer = reader.answer
        guard answer.body.count <= Contract.largestAnswer else {
            return .contractViolation("the response is too large")
        }
        if answer.isPage { return .transient(retryAfter: nil) }
        let isInBody = reply.access.contains { if case .pointer = $0 { true } else { false } }
        if answer.body.isEmpty { return isInBody ? .contractViolation("the response is empty") : .delivered }
        guard isInBody || reader.root() != nil else { return .delivered }
        guard reader.root() != nil else { return .contractViolation("the response cannot be read") }
        guard reader.holds(reply.success) else {
            return channel == .login ? refused(&reader) : .contractViolation("the response does not indicate success")
        }
        return .delivered
    }

    /// Returns the refusal with the response's code and message.
    func refusal(in answer: HTTPReply, hiding secrets: [String] = []) -> Outcome {
        var reader = ReplyReader(answer, reply, hiding: secrets)
        return refused(&reader)
    }

    private func refused(_ reader: inout ReplyReader) -> Outcome {
        let code = firstText(errorCode, &reader) ?? "status_\(reader.answer.status)"
        let message = firstText(errorMessage, &reader)
        return .refused(code: String(code.prefix(100)), message: message.map { String($0.prefix(500)) })
    }

    /// A diagnosis for developers: status and code, without secrets.
    private func diagnosis(_ reader: inout ReplyReader, _ note: String?) -> String {
        let code = firstText(errorCode, &reader).map { String($0.prefix(100)) }
        let answer = [String(reader.answer.status), code].compactMap(\.self).joined(separator: " ")
        return [answer, note].compactMap(\.self).joined(separator: ": ")
    }

    /// Returns the first text of several places, without secrets: a text that is cut no longer contains a whole one.
    private func firstText(_ places: [Selector], _ reader: inout ReplyReader) -> String? {
        for place in places {
            if let text = reader.value(fromRoot: place)?.text { return text.hiding(reader.secrets) }
        }
        return nil
    }
}

extension ClassificationRule {
    fileprivate func matches(_ status: Int) -> Bool {
        statuses?.contains { $0.contains(status) } ?? true
    }
}

extension Contract {
    /// Classifies a response by its channel, status, headers and body only.
    func classify(_ answer: HTTPReply, on channel: Channel, hiding secrets: [String] = []) -> Outcome {
        classifier.classify(answer, on: channel, hiding: secrets)
    }
}
