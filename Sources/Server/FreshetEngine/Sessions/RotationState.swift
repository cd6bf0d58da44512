// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The part of a session's row that decides on a refresh token (PROTOCOL.md, "Server row").
package struct RotationState: Equatable, Sendable {
    /// How much the client takes part in its own protection.
    ///
    /// The set is open: a newer server on the same database may store a mode that this version does not know. Such a
    /// session can be listed and ended, and this server decides nothing else about it.
    package enum Mode: Hashable, Sendable {
        /// Native clients: they send intents and confirm.
        case intent
        /// Clients that send no intent: the server tells siblings apart by branch and time.
        case plain
        /// Contracts that never rotate: T(s,0) for ever. Theft cannot be noticed there.
        case `static`
        /// A mode that this version does not know, by its number.
        case other(Int64)

        /// Reads a mode as any version of the server may have stored it.
        package init(stored number: Int64) {
            switch number {
            case 0: self = .intent
            case 1: self = .plain
            case 2: self = .static
            default: self = .other(number)
            }
        }

        /// The number that is stored.
        package var rawValue: Int64 {
            switch self {
            case .intent: 0
            case .plain: 1
            case .static: 2
            case .other(let number): number
            }
        }

        package var isKnown: Bool {
            if case .other = self { false } else { true }
        }
    }

    package var mode: Mode
    /// The newest generation the client is proved to hold.
    package var current: UInt64
    /// The branch proved for ``current``.
    package var branch: UInt64
    /// Hash of the intent bound to ``current``; `nil` as long as none is.
    package var intent: IntentHash?
    /// The newest branch issued for the generation after ``current`` in plain mode; 0 if none is.
    package var next: UInt64
    /// Which key makes the MAC of the successor, so that a repeat returns the same bytes after a key rotation.
    package var successorKeyID: UInt8
    /// When the successor was issued.
    package var boundAt: Timestamp
    /// When ``current`` was proved.
    package var provedAt: Timestamp

    /// The state at sign-in: T(s,0) is issued, and nothing is bound.
    package init(mode: Mode, keyID: UInt8, provedAt: Timestamp) {
        self.init(
            mode: mode,
            current: 0,
            branch: 0,
            intent: nil,
            next: 0,
            successorKeyID: keyID,
            boundAt: provedAt,
            provedAt: provedAt
        )
    }

    package init(
        mode: Mode,
        current: UInt64,
        branch: UInt64,
        intent: IntentHash?,
        next: UInt64,
        successorKeyID: UInt8,
        boundAt: Timestamp,
        provedAt: Timestamp
    ) {
        self.mode = mode
        self.current = current
        self.branch = branch
        self.intent = intent
        self.next = next
        self.successorKeyID = successorKeyID
        self.boundAt = boundAt
        self.provedAt = provedAt
    }
}
