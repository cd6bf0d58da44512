// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// A response and its classification by the contract.
///
/// It contains no credentials that were presented or issued, so that it may be printed.
struct ConformanceReaction: Equatable, Sendable {
    var status: Int
    var outcome: Outcome
    /// The contract's own rule that matched, as an index of `classify`.
    var rule: Int?
    var code: String?
    var message: String?

    init(status: Int, outcome: Outcome, rule: Int? = nil, code: String? = nil, message: String? = nil) {
        self.status = status
        self.outcome = outcome
        self.rule = rule
        self.code = code
        self.message = message
    }

    /// Creates the reaction to a response.
    ///
    /// - Parameters:
    ///   - answer: The response.
    ///   - secrets: Secrets that some backends repeat in their errors.
    init(_ answer: ProbeReply, hiding secrets: [String]) {
        func hide(_ text: String?) -> String? {
            guard let text else { return nil }
            let hidden = secrets.reduce(text) { $1.isEmpty ? $0 : $0.replacing($1, with: "•••") }
            // Control characters, which a terminal would interpret, are replaced.
            return String(String.UnicodeScalarView(hidden.unicodeScalars.map { $0.isControl ? " " : $0 }))
        }
        self.init(
            status: answer.status,
            outcome: answer.outcome,
            rule: answer.rule,
            code: hide(answer.errorCode),
            message: hide(answer.errorMessage)
        )
    }

    var isSuccess: Bool { (200...299).contains(status) }
    /// Whether the status is 429 or 5xx, which says nothing about the presented credentials.
    var isInconclusive: Bool { status == 429 || status >= 500 }

    /// A description of the response.
    var summary: String {
        let said = isSuccess ? [] : [code, message.map { $0.count > 60 ? "\($0.prefix(60))…" : $0 }.map { "“\($0)”" }]
        return (["\(status)"] + said.compactMap(\.self)).joined(separator: " ")
    }

    /// The outcome in the terms of the contract.
    var interpretation: String {
        let name =
            switch outcome {
            case .delivered: "delivered"
            case .accessExpired: "accessExpired"
            case .sessionEnded(.unspecified): "sessionEnded"
            case .sessionEnded(let reason): "sessionEnded (\(reason.rawValue))"
            case .superseded: "superseded"
            case .refused: "refused"
            case .stepUp: "stepUp"
            case .forbidden: "forbidden"
            case .throttled: "throttled"
            case .transient: "transient"
            case .invalidRequest: "invalidRequest"
            case .misconfigured: "misconfigured"
            case .contractViolation(let what): "contractViolation (\(what))"
            }
        return rule.map { "\(name), by classify[\($0)]" } ?? name
    }

    /// Returns advice to add a rule for this response.
    func rule(on channel: String, outcome: String) -> String {
        #"Add to classify: { "on": "\#(channel)", "status": \#(status), "outcome": "\#(outcome)" }"#
            + ", with an `if` that distinguishes it from other responses with this status."
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control || properties.generalCategory == .format }
}
