// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

/// A finding of the live test: the backend's behaviour in one step, and the contract's description.
struct ConformanceFinding: Codable, Equatable, Sendable {
    enum Agreement: String, Codable, Sendable {
        /// The contract describes the behaviour, so that clients handle it correctly.
        case agrees
        /// A client that follows the contract would handle the behaviour incorrectly.
        case differs
        /// The contract does not specify the behaviour.
        case unspecified
        /// The step was not run.
        case skipped
    }

    var step: ConformanceStep
    var backend: String
    var contract: String
    var agreement: Agreement
    /// Weaknesses of the backend, whether or not the contract covers them.
    var weaknesses: [String] = []
    /// The correction of the contract, if it differs.
    var advice: String?

    init(
        _ step: ConformanceStep,
        _ backend: String,
        _ contract: String,
        _ agreement: Agreement,
        weaknesses: [String] = [],
        advice: String? = nil
    ) {
        self.step = step
        self.backend = backend
        self.contract = contract
        self.agreement = agreement
        self.weaknesses = weaknesses
        self.advice = advice
    }

    /// Returns the finding of a step that was not run, with the reason.
    static func skipped(_ step: ConformanceStep, _ reason: String, weaknesses: [String] = []) -> ConformanceFinding {
        ConformanceFinding(step, "not tried: \(reason)", "", .skipped, weaknesses: weaknesses)
    }

    /// Returns the finding of a step without a response, which says nothing about the contract.
    static func unanswered(
        _ step: ConformanceStep,
        _ reason: SessionError.ConnectionFailure
    ) -> ConformanceFinding {
        let backend = "no response: \(reason)"
        return ConformanceFinding(step, backend, "", .unspecified, weaknesses: ["\(step.title): \(backend)"])
    }
}
