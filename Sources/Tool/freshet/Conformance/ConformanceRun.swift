// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetKit
import FreshetWire

/// A run of the live test: the life cycle of a session against a live backend.
struct ConformanceRun: Masked {
    typealias Tokens = ProbeReply.Tokens

    let probe: ContractProbe
    let plan: ConformancePlan
    let clock: SessionClock
    /// Receives messages about long waits.
    let note: @Sendable (String) -> Void

    var findings: [ConformanceFinding] = []
    /// The newest tokens of the current session; `nil` after its end.
    var tokens: Tokens?
    /// The time at which the newest tokens were requested.
    private(set) var tokensAskedAt = Duration.zero
    private var askedAt = Duration.zero
    private var secrets: [String] = []
    private var tokenAnswers: [ProbeReply] = []
    private var tokenSkew: Double?
    private var refusals: [ConformanceReaction] = []
    private var redirects: [String] = []

    init(
        probe: ContractProbe,
        plan: ConformancePlan,
        clock: SessionClock = .system,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.probe = probe
        self.plan = plan
        self.clock = clock
        self.note = note
        if case .fields(_, let values) = plan.signIn { secrets = values.filter { $0.key == "password" }.map(\.value) }
        if case .signUp(let values) = plan.signIn { secrets = [values["password"] ?? ""] }
    }

    var mask: String { "ConformanceRun(\(plan.contract.name), •••)" }

    /// Runs all steps.
    ///
    /// - Throws: `ToolError` if no session can be started.
    mutating func run() async throws -> ConformanceReport {
        if try await signIn() {
            try await calls()
            try await refreshes()
            try await ends()
            try await wrongPassword()
        }
        summarize()
        let order = ConformanceStep.allCases
        let sorted = order.flatMap { step in findings.filter { $0.step == step } }
        return ConformanceReport(
            contract: plan.contract.name,
            baseURL: plan.baseURL.absoluteString,
            findings: sorted
        )
    }

    mutating func add(_ finding: ConformanceFinding) { findings.append(finding) }

    /// Sends a request to an endpoint of the contract.
    ///
    /// - Returns: `nil` without a response to evaluate, which is recorded.
    mutating func send(
        _ step: ConformanceStep,
        _ name: EndpointName,
        _ values: [String: String?],
        on channel: ClassificationRule.Channel
    ) async throws -> (answer: ProbeReply, reaction: ConformanceReaction)? {
        redact(values)
        askedAt = clock.now()
        let answer: ProbeReply
        do throws(ContractProbe.Failure) {
            answer = try await probe.request(name, TemplateValues(texts: values), on: channel)
        } catch {
            try note(error, at: step)
            return nil
        }
        if (300...399).contains(answer.status) { redirects.append(answer.header("Location") ?? "nowhere") }
        let reaction = ConformanceReaction(answer, hiding: secrets)
        let isRefusal = (400...499).contains(answer.status) && channel != .api && answer.hasBody && !answer.isPage
        if isRefusal { refusals.append(reaction) }
        return (answer, reaction)
    }

    /// Sends the request of the plan.
    mutating func call(_ step: ConformanceStep, _ accessToken: String) async throws -> ConformanceReaction? {
        redact(["access_token": accessToken])
        guard let call = plan.call else {
            return try await send(step, .me, ["access_token": accessToken], on: .api)?.reaction
        }
        do throws(ContractProbe.Failure) {
            let answer = try await probe.call(call.method, call.address, accessToken: accessToken)
            return ConformanceReaction(answer, hiding: secrets)
        } catch {
            try note(error, at: step)
            return nil
        }
    }

    private mutating func note(_ failure: ContractProbe.Failure, at step: ConformanceStep) throws {
        switch failure {
        case .cancelled: throw CancellationError()
        case .noResponse(let reason): add(.unanswered(step, reason))
        case .invalidRequest(let reason): add(.skipped(step, reason))
        }
    }

    /// Records new tokens, and the response that contained them.
    mutating func recordTokens(_ new: Tokens, from answer: ProbeReply?) {
        redact(["access_token": new.access, "refresh_token": new.refresh])
        // Without a new refresh token in the response, the previous one stays valid.
        tokens = Tokens(access: new.access, refresh: new.refresh ?? tokens?.refresh, lifetime: new.lifetime)
        tokensAskedAt = askedAt
        guard let answer else { return }
        tokenAnswers.append(answer)
        if let issuedAt = new.issuedAt { tokenSkew = issuedAt - answer.serverTime }
    }

    private mutating func redact(_ values: [String: String?]) {
        let names = ["password", "code", "refresh_token", "access_token", "intent", "identity_token", "nonce"]
        secrets += values.filter { names.contains($0.key) }.compactMap(\.value)
    }

    /// Returns the elapsed time in seconds.
    func time(since moment: Duration) -> Double { (clock.now() - moment).seconds }

    /// Waits, and prints the reason.
    func wait(_ seconds: Double, for what: String) async throws {
        guard seconds > 0 else { return }
        note("waiting \(ConformanceFinding.text(seconds.rounded(.up))) for \(what)")
        try await clock.sleep(until: clock.now() + .seconds(seconds))
    }

    /// Adds the findings about all responses.
    private mutating func summarize() {
        if !refusals.isEmpty {
            let looks = !plan.contract.errorCode.isEmpty || !plan.contract.errorMessage.isEmpty
            add(.errors(refusals, looks: looks))
        }
        if !tokenAnswers.isEmpty { add(.caching(tokenAnswers.map { $0.header("Cache-Control") })) }
        add(.redirects(redirects))
        if !tokenAnswers.isEmpty {
            // The largest skew, because a single response may have been delayed.
            let skew = tokenAnswers.compactMap(\.clockSkew).max { abs($0) < abs($1) }
            add(.clock(skew: skew, tokenSkew: tokenSkew))
        }
    }
}
