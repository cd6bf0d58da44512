// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What the live test found at one step: what the backend did, and what the contract says about that.
struct ConformanceFinding: Codable, Equatable, Sendable {
    enum Agreement: String, Codable, Sendable {
        /// The contract describes what the backend did, so a client does the right thing.
        case agrees
        /// A client that follows the contract would do the wrong thing.
        case differs
        /// The contract has nothing to say about it.
        case unspecified
        /// It was not tried.
        case skipped
    }

    var step: ConformanceStep
    var backend: String
    var contract: String
    var agreement: Agreement
    /// What the backend could do better, whether or not the contract knows of it.
    var weaknesses: [String] = []
    /// How the contract is mended where it differs.
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

    /// A step that was not tried, and why.
    static func skipped(_ step: ConformanceStep, _ reason: String, weaknesses: [String] = []) -> ConformanceFinding {
        ConformanceFinding(step, "not tried: \(reason)", "", .skipped, weaknesses: weaknesses)
    }

    /// The backend gave no answer; that says nothing about the contract.
    static func unanswered(_ step: ConformanceStep) -> ConformanceFinding {
        let backend = "no answer in time"
        return ConformanceFinding(step, backend, "", .unspecified, weaknesses: ["\(step.title): \(backend)"])
    }
}
