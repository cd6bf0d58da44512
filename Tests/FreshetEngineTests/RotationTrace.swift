// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire
import SeededRandom

@testable import FreshetEngine

/// A random history of one session as a trace for `Models/trace.py`.
///
/// It presents any issued token with any intent at any time, as several holders would, with a clock that is not trusted
/// at times, two MAC keys, and a database that loses commits that did not have to be durable.
struct RotationTrace {
    private var random: SeededRandomStream
    private var session: ServerSession
    private let seed: UInt64
    /// The rows that the database may fall back to: the last durable one, and those after it.
    private var rows: [SessionRow]
    private var tokens: [RefreshToken]
    private(set) var lines: [String] = []

    init(_ mode: RotationState.Mode, seed: UInt64) {
        random = SeededRandomStream(seed: seed)
        self.seed = seed
        session = ServerSession(mode, contract: mode == .intent ? nil : "app")
        session.keys = ServerSession.ring([1: 0x11, 2: 0x22], current: 1)
        rows = [session.row]
        tokens = [session.token(0)]
    }

    mutating func run(steps: Int) throws {
        try add(["event": "open", "after": Self.object(session.row)])
        var left = steps
        while left > 0 {
            // A few requests after the end are enough.
            left = session.row.ending == nil ? left - 1 : min(left - 1, 10)
            switch Int.random(in: 0..<40, using: &random) {
            case 0..<6: try loseCommits()
            case 6:
                session.now = session.now + session.policy.idleLifetime * Int.random(in: 1...12, using: &random) / 10
            case 7: session.keys = ServerSession.ring([1: 0x11, 2: 0x22], current: 2)
            case 8..<20: session.now = session.now + .milliseconds(Int.random(in: 0...70_000, using: &random))
            case 20..<22: try present("confirm")
            case 22: try present("report")
            case 23: if Int.random(in: 0..<8, using: &random) == 0 { try present("logout") }
            default: try present("refresh")
            }
        }
    }

    private mutating func loseCommits() throws {
        guard let row = rows.randomElement(using: &random), let index = rows.lastIndex(of: row) else { return }
        session.row = row
        rows.removeSubrange((index + 1)...)
        try add(["event": "rollback"])
    }

    private mutating func present(_ event: String) throws {
        // The newest tokens most of the time, else few histories get far.
        let newest = tokens.suffix(Int.random(in: 0..<4, using: &random) == 0 ? tokens.count : 2)
        guard let token = newest.randomElement(using: &random) else { return }
        let number = Int.random(in: 0..<12, using: &random)
        let intent: Intent? = number == 0 ? .thief : .numbered(UInt8(truncatingIfNeeded: token.generation &+ 3))
        let isPlain = session.row.rotation.mode != .intent
        let sent = event != "refresh" || Int.random(in: 0..<20, using: &random) < (isPlain ? 19 : 1) ? nil : intent
        let isTrusted = Int.random(in: 0..<10, using: &random) > 0
        let uncertainty = Duration.milliseconds(isTrusted ? 0 : Int.random(in: 0...600_000, using: &random))
        session.policy.isClockTrusted = isTrusted
        session.policy.clockUncertainty = uncertainty
        let before = session.row
        let decision = decide(event, token, sent)
        var successor: [String: Any]?
        if case .served(let next, _) = decision.answer {
            if !tokens.contains(next) { tokens.append(next) }
            let hash = Data(SHA256.hash(data: Data(next.text.utf8))).base64EncodedString()
            successor = Self.object(next).merging(["hash": hash]) { $1 }
        }
        if let row = decision.row {
            session.row = row
            rows = decision.mustBeDurable ? [row] : rows + [row]
        }
        try add([
            "event": event, "presented": Self.object(token),
            "intent": Self.optional(sent.map { Self.text(IntentHash($0)) }),
            "idle_lifetime": session.policy.idleLifetime.milliseconds, "before": Self.object(before),
            "after": Self.object(session.row), "answer": Self.name(decision.answer),
            "successor": Self.optional(successor),
            "current_key": Int(session.keys.currentID), "durable": decision.mustBeDurable,
            "clock": ["trusted": isTrusted, "latest": (session.now + uncertainty).milliseconds],
        ])
    }

    private func decide(_ event: String, _ token: RefreshToken, _ intent: Intent?) -> RotationDecision {
        let (policy, row, now, keys) = (session.policy, session.row, session.now, session.keys)
        return switch event {
        case "confirm": policy.confirm(row, token: token, now: now, keys: keys)
        case "report": policy.report(row, token: token, now: now, keys: keys)
        case "logout": policy.logout(row, token: token, now: now, keys: keys)
        default: policy.refresh(row, token: token, intent: intent, now: now, keys: keys)
        }
    }

    // MARK: - Lines

    private mutating func add(_ line: [String: Any]) throws {
        let facts: [String: Any] = [
            "t": session.now.milliseconds, "history": "\(seed)", "session": session.row.id.description,
        ]
        let data = try JSONSerialization.data(withJSONObject: line.merging(facts) { $1 }, options: .sortedKeys)
        lines.append(String(decoding: data, as: UTF8.self))
    }

    private static func optional(_ value: Any?) -> Any { value ?? NSNull() }
    private static func text(_ hash: IntentHash) -> String { Data(hash.bytes).base64EncodedString() }

    private static func object(_ token: RefreshToken) -> [String: Any] {
        ["generation": token.generation, "branch": token.body.branch, "key": Int(token.body.keyID)]
    }

    private static func object(_ row: SessionRow) -> [String: Any] {
        let state = row.rotation
        let mode =
            switch state.mode {
            case .intent: "intent"
            case .plain: "plain"
            case .static: "static"
            case .other(let number): "\(number)"
            }
        return [
            "mode": mode, "cur": state.current, "branch": state.branch, "intent": optional(state.intent.map(text)),
            "next": state.next, "successor_kid": Int(state.successorKeyID), "bound_at": state.boundAt.milliseconds,
            "proved_at": state.provedAt.milliseconds, "created_at": row.createdAt.milliseconds,
            "last_used_at": row.lastUsedAt.milliseconds, "idle_end": row.idleExpiry.milliseconds,
            "absolute_end": row.absoluteExpiry.milliseconds, "ended_at": optional(row.ending?.at.milliseconds),
            "reason": optional(row.ending?.reason.rawValue), "contract": optional(row.contract),
        ]
    }

    private static func name(_ answer: RotationOutcome) -> String {
        switch answer {
        case .served: "granted"
        case .superseded: "superseded"
        case .ended(let reason): "final:\(reason.rawValue)"
        case .recorded: "none"
        case .refused(.forged): "refused:forged"
        case .refused(.keyUnavailable): "refused:key_unavailable"
        case .refused(.unsupportedMode): "refused:unsupported_mode"
        case .refused(.intentRequired): "refused:intent_required"
        case .refused(.elsewhere): "refused:elsewhere"
        case .refused(.otherClient): "refused:other_client"
        case .refused(.clockNotTrusted): "refused:clock_not_trusted"
        }
    }
}
