// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
import FreshetWire

@testable import FreshetEngine

/// One session as the server holds it, driven by value: what a decision changes is kept for the next one.
struct ServerSession {
    static let keys = ring([1: 0x11], current: 1)

    var row: SessionRow
    var keys = Self.keys
    var policy = RotationPolicy(idleLifetime: .seconds(86_400))
    var now = Timestamp(milliseconds: 1_800_000_000_000)
    /// Where requests come from.
    var source: SourceAddress?
    /// The runs of refreshes that are over.
    private(set) var trail: [AuditEvent] = []

    init(_ mode: RotationState.Mode = .intent, contract: String? = nil) {
        var lifetimes = Lifetimes()
        lifetimes.idle = .seconds(86_400)
        lifetimes.absolute = .seconds(10 * 86_400)
        row = .start(
            user: UUID(),
            mode: mode,
            contract: contract,
            device: Device(),
            lifetimes: lifetimes,
            keyID: 1,
            now: Timestamp(milliseconds: 1_800_000_000_000)
        )
    }

    static func ring(_ keys: [UInt8: UInt8], current: UInt8, retired: Set<UInt8> = []) -> TokenKeyRing {
        let keys = keys.mapValues { SymmetricKey(data: [UInt8](repeating: $0, count: 32)) }
        guard let ring = TokenKeyRing(keys: keys, currentID: current, retired: retired) else {
            fatalError("a ring of no use")
        }
        return ring
    }

    /// T(s, generation, branch), as the server would issue it.
    func token(_ generation: UInt64, branch: UInt64 = 0, key: UInt8? = nil) -> RefreshToken {
        keys.token(
            RefreshTokenPayload(
                keyID: key ?? keys.currentID,
                session: row.id,
                generation: generation,
                branch: branch
            ),
            salt: row.salt
        )
    }

    mutating func refresh(_ token: RefreshToken, _ intent: Intent? = nil, after wait: Duration = .zero)
        -> RotationOutcome
    {
        now = now + wait
        let decision = policy.refresh(row, token: token, intent: intent, now: now, keys: keys)
        return apply(decision.recording(row, generation: token.generation, from: source, at: now))
    }

    mutating func confirm(_ token: RefreshToken) -> RotationOutcome {
        apply(policy.confirm(row, token: token, now: now, keys: keys))
    }

    mutating func report(_ token: RefreshToken) -> RotationOutcome {
        apply(policy.report(row, token: token, now: now, keys: keys))
    }

    mutating func logout(_ token: RefreshToken) -> RotationOutcome {
        apply(policy.logout(row, token: token, now: now, keys: keys))
    }

    private mutating func apply(_ decision: RotationDecision) -> RotationOutcome {
        if let new = decision.row {
            if let run = decision.endedStreak { trail.append(AuditEvent(run, of: row)) }
            row = new
        }
        return decision.answer
    }
}

extension RotationOutcome {
    /// The generation and branch handed out, if any were.
    var handedOut: [UInt64]? {
        if case .served(let token, _) = self { [token.generation, token.body.branch] } else { nil }
    }
}

extension Intent {
    /// The client's intent, and that of somebody else.
    static let owner = numbered(1)
    static let thief = numbered(2)

    static func numbered(_ number: UInt8) -> Intent {
        guard let intent = Intent(bytes: [UInt8](repeating: number, count: 16)) else { fatalError("sixteen bytes") }
        return intent
    }
}
