// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import Foundation
package import FreshetEngine
package import FreshetWire

/// A line of a trace for `Models/trace.py`, which checks it against PROTOCOL.md.
package struct TraceLine: @unchecked Sendable {
    /// Values that `JSONSerialization` accepts.
    private var members: [String: Any]

    private init(_ event: String, at time: Timestamp? = nil, session: SessionID? = nil, _ members: [String: Any] = [:])
    {
        self.members = members.merging(["event": event]) { $1 }
        if let time { self.members["t"] = time.milliseconds }
        if let session { self.members["session"] = session.description }
    }

    /// The line's text: JSON without line breaks.
    ///
    /// - Parameter history: The name of the history; histories are checked independently of each other.
    /// - Returns: The text.
    /// - Throws: An encoding error.
    package func text(history: String) throws -> String {
        let members = members.merging(["history": history]) { $1 }
        let data = try JSONSerialization.data(withJSONObject: members, options: .sortedKeys)
        return String(decoding: data, as: UTF8.self)
    }

    // MARK: - Servers

    /// A sign-in stored a session, or repeated the response of an unused one.
    package static func opened(_ row: SessionRow) -> TraceLine {
        TraceLine("open", at: row.createdAt, session: row.id, ["after": object(row)])
    }

    /// A presented token, and the decision on its session's row.
    package struct Decision {
        /// `refresh`, `confirm`, `report` or `logout`.
        package var event: String
        package var token: RefreshToken
        package var intent: IntentHash?
        package var before: SessionRow
        package var decision: RotationDecision
        package var idleLifetime: Duration
        package var clock: ClockReading
        /// The key that the server used for new tokens.
        package var currentKey: UInt8

        package init(
            _ event: String,
            _ token: RefreshToken,
            _ intent: IntentHash?,
            before: SessionRow,
            _ decision: RotationDecision,
            idleLifetime: Duration,
            clock: ClockReading,
            currentKey: UInt8
        ) {
            self.event = event
            self.token = token
            self.intent = intent
            self.before = before
            self.decision = decision
            self.idleLifetime = idleLifetime
            self.clock = clock
            self.currentKey = currentKey
        }
    }

    /// A decision was committed.
    ///
    /// - Parameters:
    ///   - decided: The decision.
    ///   - isUndetermined: Whether the connection to the database was lost, or a flush failed: it may not be committed.
    ///   - hasFlushFailed: Whether it may not be on disk although it is committed.
    /// - Returns: The line.
    package static func decided(
        _ decided: Decision,
        isUndetermined: Bool = false,
        hasFlushFailed: Bool = false
    ) -> TraceLine {
        let (before, decision) = (decided.before, decided.decision)
        var successor: [String: Any]?
        if case .served(let next, _) = decision.answer {
            let hash = Data(SHA256.hash(data: Data(next.text.utf8))).base64EncodedString()
            successor = object(next).merging(["hash": hash]) { $1 }
        }
        return TraceLine(
            decided.event,
            at: decided.clock.now,
            session: before.id,
            [
                "presented": object(decided.token), "intent": optional(decided.intent.map(text)),
                "idle_lifetime": decided.idleLifetime.milliseconds, "before": object(before),
                "after": object(decision.row ?? before), "answer": name(decision.answer),
                "successor": optional(successor), "durable": decision.mustBeDurable && !hasFlushFailed,
                "clock": [
                    "trusted": decided.clock.isTrusted, "window_trusted": decided.clock.isWindowTrusted,
                    "latest": decided.clock.latest.milliseconds,
                ],
                "current_key": Int(decided.currentKey), "undetermined": isUndetermined,
            ]
        )
    }

    /// A session was ended without its refresh token.
    package static func ended(_ session: SessionID, _ reason: EndReason, at time: Timestamp) -> TraceLine {
        TraceLine("revoke", at: time, session: session, ["reason": reason.rawValue])
    }

    /// The database lost its last commits of all sessions, or of one.
    ///
    /// - Parameters:
    ///   - session: The session; `nil` for all.
    ///   - losesDurable: Whether it may have lost commits that were flushed, too.
    /// - Returns: The line.
    package static func rolledBack(_ session: SessionID? = nil, losesDurable: Bool = false) -> TraceLine {
        TraceLine("rollback", session: session, losesDurable ? ["loses_durable": true] : [:])
    }

    /// A transaction that is no decision may be committed, as the connection to the database was lost.
    package static func unlisted() -> TraceLine { TraceLine("unlisted") }

    // MARK: - Clients

    /// A client's pair of token and intent.
    package struct Pair {
        package var token: RefreshToken
        package var intent: Intent?

        package init(_ token: RefreshToken, _ intent: Intent?) {
            self.token = token
            self.intent = intent
        }
    }

    /// A client stored a record.
    ///
    /// - Parameters:
    ///   - current: The tokens of its session; `nil` if it is signed out.
    ///   - tombstones: The sessions whose sign-out is pending.
    ///   - client: The client's store.
    ///   - isReverted: Whether a power failure or a backup brought the record back.
    ///   - time: The true time.
    /// - Returns: The line.
    package static func stored(
        _ current: Pair?,
        tombstones: [SessionID],
        by client: String,
        isReverted: Bool,
        at time: Timestamp
    ) -> TraceLine {
        TraceLine(
            "store",
            at: time,
            [
                "client": client, "session": optional(current?.token.session.description),
                "generation": optional(current?.token.generation), "intent": optional(hash(current?.intent)),
                "tombstones": tombstones.map(\.description), "reverted": isReverted,
            ]
        )
    }

    /// A holder of a token to whom not all rules for clients apply.
    package enum Exemption: String {
        /// A thief with a copy.
        case thief
        /// A client without intents.
        case plain
        /// A client whose store is unavailable.
        case storeless
    }

    /// A client sent a token: `refresh`, `confirm`, `report` or `logout`.
    package static func sent(
        _ kind: String,
        _ sent: Pair,
        by client: String,
        as holder: Exemption?,
        at time: Timestamp
    ) -> TraceLine {
        TraceLine(
            "send",
            at: time,
            session: sent.token.session,
            [
                "kind": kind, "client": client, "generation": sent.token.generation,
                "intent": optional(hash(sent.intent)), "holder": optional(holder?.rawValue),
            ]
        )
    }

    // MARK: - Values

    private static func optional(_ value: Any?) -> Any { value ?? NSNull() }
    private static func hash(_ intent: Intent?) -> String? { intent.map { text(IntentHash($0)) } }
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
