// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetKit
import FreshetWire

/// Plays a session's life against a live backend, the good and the bad, and notes what comes.
struct ConformanceRun: Masked {
    typealias Tokens = ProbeReply.Tokens

    let probe: ContractProbe
    let plan: ConformancePlan
    let clock: SessionClock
    /// Told what takes long.
    let note: @Sendable (String) -> Void

    var findings: [ConformanceFinding] = []
    /// The newest of the session at hand; `nil` once it is over.
    var tokens: Tokens?
    /// When the newest tokens were asked for.
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

    /// Plays it.
    ///
    /// - Throws: `ToolError` if there is no session to look at.
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

    /// Asks an endpoint of the contract.
    ///
    /// - Returns: `nil` if there is nothing to judge, which is noted.
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

    /// Sends the call of the plan.
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
        case .noResponse: add(.unanswered(step))
        case .invalidRequest(let reason): add(.skipped(step, reason))
        }
    }

    /// Notes tokens that came, and which answer brought them.
    mutating func recordTokens(_ new: Tokens, from answer: ProbeReply?) {
        redact(["access_token": new.access, "refresh_token": new.refresh])
        // An answer without a refresh token leaves the one before in force.
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

    /// How much time has passed, in seconds.
    func time(since moment: Duration) -> Double { (clock.now() - moment).seconds }

    /// Waits, and says so.
    func wait(_ seconds: Double, for what: String) async throws {
        guard seconds > 0 else { return }
        note("waiting \(ConformanceFinding.text(seconds.rounded(.up))) for \(what)")
        try await clock.sleep(until: clock.now() + .seconds(seconds))
    }

    /// What all answers have in common.
    private mutating func summarize() {
        if !refusals.isEmpty {
            let looks = !plan.contract.errorCode.isEmpty || !plan.contract.errorMessage.isEmpty
            add(.errors(refusals, looks: looks))
        }
        if !tokenAnswers.isEmpty { add(.caching(tokenAnswers.map { $0.header("Cache-Control") })) }
        add(.redirects(redirects))
        if !tokenAnswers.isEmpty {
            // The largest one: a single answer may have waited.
            let skew = tokenAnswers.compactMap(\.clockSkew).max { abs($0) < abs($1) }
            add(.clock(skew: skew, tokenSkew: tokenSkew))
        }
    }
}
