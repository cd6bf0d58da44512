// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetWire
import ProtocolTrace
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
        try add(.opened(session.row))
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
        try add(.rolledBack(session.row.id))
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
        session.policy.isWindowTrusted = isTrusted && Int.random(in: 0..<10, using: &random) > 0
        session.policy.clockUncertainty = uncertainty
        let before = session.row
        let decision = decide(event, token, sent)
        if case .served(let next, _) = decision.answer, !tokens.contains(next) { tokens.append(next) }
        if let row = decision.row {
            session.row = row
            rows = decision.mustBeDurable ? [row] : rows + [row]
        }
        try add(
            .decided(
                TraceLine.Decision(
                    event,
                    token,
                    sent.map { IntentHash($0) },
                    before: before,
                    decision,
                    idleLifetime: session.policy.idleLifetime,
                    clock: ClockReading(
                        now: session.now,
                        isTrusted: isTrusted,
                        isWindowTrusted: session.policy.isWindowTrusted,
                        earliest: session.now,
                        latest: session.now + uncertainty
                    ),
                    currentKey: session.keys.currentID
                )
            )
        )
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

    private mutating func add(_ line: TraceLine) throws { lines.append(try line.text(history: "\(seed)")) }
}
