// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import SeededRandom

@testable import FreshetEngine

/// A random history of one honest client, a network that duplicates, delays and reorders, and a database that may fall back to any row
/// that was on its disk.
///
/// No message without an intent outlives W, and no message at all outlives W while the row is plain: those are the stated limits of
/// plain mode (PROTOCOL.md).
struct LostCommitScenario {
    /// How the client behaves.
    enum Client: Sendable, CaseIterable { case plain, native, movesToIntents }

    private struct Request: Equatable {
        var token: RefreshToken
        var intent: Intent?
    }

    private enum Answer: Equatable {
        case successor(RefreshToken, isNative: Bool)
        case superseded(RefreshToken, isNative: Bool)
    }

    private var random: SeededRandomStream
    private var session: ServerSession
    /// The row that a crash leaves.
    private var disk: SessionRow
    /// Whether a decision's own word on durability is followed, or only endings are forced to the disk.
    private let forcesStepToDisk: Bool

    private var token: RefreshToken
    private var isNative: Bool
    private let movesToIntents: Bool
    private var requests: [Request] = []
    private var answers: [Answer] = []
    private var confirmations: [RefreshToken] = []
    private var reports: [RefreshToken] = []
    /// The events, one line each.
    private(set) var lines: [String] = []
    /// Times that the database fell back to another row.
    private(set) var losses = 0

    init(_ client: Client, forcesStepToDisk: Bool, seed: UInt64) {
        random = SeededRandomStream(seed: seed)
        session = ServerSession(client == .native ? .intent : .plain, contract: client == .native ? nil : "app")
        // A window passes in many steps, and no session is to end by its age here.
        session.policy.idleLifetime = .seconds(9 * 86_400)
        session.row.idleExpiry = session.row.absoluteExpiry
        disk = session.row
        self.forcesStepToDisk = forcesStepToDisk
        token = session.token(0)
        isNative = client == .native
        movesToIntents = client == .movesToIntents
    }

    /// Lets `steps` things happen.
    ///
    /// - Returns: Why the session ended, if it did: no honest client's session may.
    mutating func run(steps: Int) -> EndReason? {
        for _ in 0..<steps {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<5: send()
            case 5..<10: deliverRequest()
            case 10..<14: deliverAnswer()
            case 14: deliver(confirmations, "confirm") { $0.confirm($1) }
            case 15: deliver(reports, "report") { $0.report($1) }
            case 16: if movesToIntents { isNative = true }
            case 17: disk = session.row
            case 18: loseCommits()
            default: passWindow()
            }
            if let reason = session.row.ending?.reason { return reason }
        }
        return nil
    }

    private mutating func send() {
        // One intent a generation, as a client keeps it in its store.
        let intent = isNative ? Intent.numbered(UInt8(truncatingIfNeeded: token.generation &+ 1)) : nil
        let request = Request(token: token, intent: intent)
        if !requests.contains(request) { requests.append(request) }
    }

    private mutating func deliverRequest() {
        guard let request = requests.randomElement(using: &random) else { return }
        let answer = change("refresh \(name(request.token))\(request.intent == nil ? "" : " with its intent")") {
            $0.policy.refresh($0.row, token: request.token, intent: request.intent, now: $0.now, keys: $0.keys)
        }
        let received: Answer
        switch answer {
        case .served(let next, _): received = .successor(next, isNative: request.intent != nil)
        case .superseded: received = .superseded(request.token, isNative: request.intent != nil)
        default: return
        }
        if !answers.contains(received) { answers.append(received) }
    }

    private mutating func deliverAnswer() {
        switch answers.randomElement(using: &random) {
        case .successor(let next, _)? where next.generation > token.generation:
            token = next
            lines.append("the client holds \(name(token))")
            if isNative { confirmations.append(token) }
        // A client that sends no intents knows of no reports.
        case .superseded(let old, isNative: true)? where old == token:
            reports.append(old)
        default: break
        }
    }

    private mutating func deliver(
        _ tokens: [RefreshToken],
        _ call: String,
        _ decide: (inout ServerSession, RefreshToken) -> RotationOutcome
    ) {
        guard let token = tokens.randomElement(using: &random) else { return }
        // A confirmation and a report never have to be durable unless they end the session, which ends the history.
        lines.append("\(call) \(name(token)): \(decide(&session, token))")
    }

    private mutating func change(_ call: String, _ decide: (ServerSession) -> RotationDecision) -> RotationOutcome {
        let decision = decide(session)
        let mode = session.row.rotation.mode
        if let row = decision.row {
            session.row = row
            if forcesStepToDisk ? decision.mustBeDurable : row.ending != nil { disk = row }
        }
        var outcome = "\(decision.answer)"
        if case .served(let next, _) = decision.answer { outcome = "issues \(name(next))" }
        lines.append("\(call), the row is \(mode): \(outcome)")
        return decision.answer
    }

    private mutating func loseCommits() {
        guard session.row != disk else { return }
        session.row = disk
        losses += 1
        lines.append("the database falls back to generation \(disk.rotation.current), \(disk.rotation.mode)")
    }

    private mutating func passWindow() {
        session.now = session.now + RotationPolicy.window + .seconds(1)
        let isOver = session.row.rotation.mode == .intent
        requests.removeAll { $0.intent == nil || !isOver }
        answers.removeAll {
            switch $0 {
            case .successor(_, let isNative), .superseded(_, let isNative): !isNative || !isOver
            }
        }
        if !lines.isEmpty { lines.append("W passes") }
    }

    private func name(_ token: RefreshToken) -> String { "T(\(token.generation),\(token.body.branch))" }
}
