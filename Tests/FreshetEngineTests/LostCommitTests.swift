// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire
import Testing

@testable import FreshetEngine

/// Random histories; a failure names its seed, which is all that it takes to see it again.
@Suite(.timeLimit(.minutes(3)))
struct `A database that loses its last commits` {
    private static let histories: UInt64 = 3000
    private static let steps = 120

    @Test(arguments: LostCommitScenario.Client.allCases)
    func `lost commits sign no honest client out in 3,000 random histories`(client: LostCommitScenario.Client) throws {
        var losses = 0
        for seed in 0..<Self.histories {
            var history = LostCommitScenario(client, forcesStepToDisk: true, seed: seed)
            let reason = history.run(steps: Self.steps)
            losses += history.losses
            try #require(reason == nil, "seed \(seed): \(history.lines.joined(separator: "\n"))")
        }
        // Else they were no such histories.
        #expect(losses > 3000)
    }

    @Test func `a lost commit of the step from plain mode to intents signs an honest client out as a fork`() throws {
        var found: [(seed: UInt64, reason: EndReason, lines: [String])] = []
        for seed in 0..<Self.histories {
            var history = LostCommitScenario(.movesToIntents, forcesStepToDisk: false, seed: seed)
            if let reason = history.run(steps: Self.steps) { found.append((seed, reason, history.lines)) }
        }
        let forks = found.filter { $0.reason == .fork }
        let shortest = try #require(forks.min { $0.lines.count < $1.lines.count })
        print("step not durable: \(found.count) of \(Self.histories) histories end, \(forks.count) of them as forks")
        print("seed \(shortest.seed):")
        for line in shortest.lines { print("    \(line)") }
    }

    @Test func `a step from plain mode to intents must be durable`() {
        func decide(_ session: ServerSession, _ generation: UInt64, _ intent: Intent?) -> RotationDecision {
            session.policy.refresh(
                session.row,
                token: session.token(generation, branch: generation == 0 ? 0 : 1),
                intent: intent,
                now: session.now,
                keys: session.keys
            )
        }
        var session = ServerSession(.plain)
        #expect(!decide(session, 0, nil).mustBeDurable)
        // Unbound, bound a moment ago, and with the proof of receipt.
        #expect(decide(session, 0, .owner).mustBeDurable)
        _ = session.refresh(session.token(0))
        #expect(decide(session, 0, .owner).mustBeDurable)
        #expect(decide(session, 1, .owner).mustBeDurable)
        #expect(
            decide(session, 0, .owner).recording(session.row, generation: 0, from: nil, at: session.now).mustBeDurable
        )
        _ = session.refresh(session.token(0), .owner)
        #expect(!decide(session, 0, .owner).mustBeDurable)
        #expect(!decide(session, 1, .owner).mustBeDurable)
        #expect(decide(session, 0, .thief).mustBeDurable)
    }

    @Test(arguments: [RotationState.Mode.intent, .plain, .static])
    func `a client that was refreshed in time stays signed in although the database lost the commit`(
        mode: RotationState.Mode
    ) throws {
        var session = ServerSession(mode, contract: mode == .intent ? nil : "app")
        let intent: Intent? = mode == .intent ? .owner : nil
        let wait = session.policy.idleLifetime * 9 / 10
        func present(_ token: RefreshToken) -> RotationDecision {
            session.policy.refresh(session.row, token: token, intent: intent, now: session.now, keys: session.keys)
        }
        // The second decision is that of a repeated request: in intent and static mode it only extends the idle expiry.
        for _ in 1...2 {
            session.now = session.now + wait
            let decision = present(session.token(0))
            guard case .served = decision.answer else {
                Issue.record("\(decision.answer)")
                return
            }
            if decision.mustBeDurable, let row = decision.row { session.row = row }
        }
    }

    @Test func `a refresh within a thirtieth of the idle lifetime need not be durable, a later one must be`() throws {
        var session = ServerSession()
        func decide(after wait: Duration) -> RotationDecision {
            session.policy.refresh(
                session.row,
                token: session.token(0),
                intent: .owner,
                now: session.now + wait,
                keys: session.keys
            )
        }
        let limit = session.policy.idleLifetime / 30
        #expect(!decide(after: limit).mustBeDurable)
        #expect(decide(after: limit + .milliseconds(1)).mustBeDurable)
        // At its absolute expiry, a session is no longer extended.
        session.row.idleExpiry = session.row.absoluteExpiry
        #expect(!decide(after: limit * 2).mustBeDurable)
    }
}
