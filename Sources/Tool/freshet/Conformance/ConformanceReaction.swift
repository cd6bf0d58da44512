// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// What is judged of an answer: how it looked, and how the contract read it.
///
/// It holds nothing that was presented or handed out, so that it may be printed.
struct ConformanceReaction: Equatable, Sendable {
    var status: Int
    var outcome: Outcome
    /// The rule of the contract's own that decided, as an index of `classify`.
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

    /// - Parameters:
    ///   - answer: What came.
    ///   - secrets: What some backends repeat in their errors.
    init(_ answer: ProbeReply, hiding secrets: [String]) {
        func hide(_ text: String?) -> String? {
            guard let text else { return nil }
            let hidden = secrets.reduce(text) { $1.isEmpty ? $0 : $0.replacing($1, with: "•••") }
            // Nothing that a terminal would act on.
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
    /// The server's own fault, or its wish to be left alone: no statement about what was presented.
    var isInconclusive: Bool { status == 429 || status >= 500 }

    /// What the backend did, in words.
    var words: String {
        let said = isSuccess ? [] : [code, message.map { $0.count > 60 ? "\($0.prefix(60))…" : $0 }.map { "“\($0)”" }]
        return (["\(status)"] + said.compactMap(\.self)).joined(separator: " ")
    }

    /// What the contract makes of it, in the contract's own words.
    var interpretation: String {
        let word =
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
            case .misconfigured: "misconfigured"
            case .contractViolation(let what): "contractViolation (\(what))"
            }
        return rule.map { "\(word), by classify[\($0)]" } ?? word
    }

    /// What a rule for this answer begins with.
    func rule(on channel: String, outcome: String) -> String {
        #"Add to classify: { "on": "\#(channel)", "status": \#(status), "outcome": "\#(outcome)" }"#
            + ", with an `if` that tells it from other answers of this status."
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control || properties.generalCategory == .format }
}
