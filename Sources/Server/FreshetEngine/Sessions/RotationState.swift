// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

/// The part of a session's row that determines the outcome of a refresh (PROTOCOL.md, "Server row").
package struct RotationState: Equatable, Sendable {
    /// The rotation mode of a session, which depends on its client's capabilities.
    ///
    /// A newer server on the same database may store a mode that this version does not know. Such a session can be
    /// listed and ended, but not refreshed.
    package enum Mode: Hashable, Sendable {
        /// Native clients, which send intents and confirm.
        case intent
        /// Clients that send no intent; the server distinguishes the tokens of one generation by branch and time.
        case plain
        /// Contracts that never rotate: the token is always T(s,0).
        ///
        /// Theft cannot be detected.
        case `static`
        /// A mode that this version does not know, by its number.
        case other(Int64)

        /// Creates the mode of a stored number, which any version of the server may have stored.
        package init(stored number: Int64) {
            switch number {
            case 0: self = .intent
            case 1: self = .plain
            case 2: self = .static
            default: self = .other(number)
            }
        }

        /// The stored number.
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
    /// The newest generation that the client has proved to hold.
    package var current: UInt64
    /// The branch proved for ``current``.
    package var branch: UInt64
    /// The hash of the intent bound to ``current``; `nil` until one is bound.
    package var intent: IntentHash?
    /// The newest branch issued for the generation after ``current`` in plain mode; 0 if none was issued.
    package var next: UInt64
    /// The number of the key for the successor's MAC.
    ///
    /// A repeated response thus has the same bytes after a key rotation.
    package var successorKeyID: UInt8
    /// The time at which the successor was issued.
    package var boundAt: Timestamp
    /// The time at which ``current`` was proved.
    package var provedAt: Timestamp

    /// Creates the state at sign-in: T(s,0) was issued, and no intent is bound.
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

    /// Whether a genuine token is the newest one that the client has proved to hold, or newer.
    func isNewest(_ token: RefreshToken) -> Bool {
        let body = token.body
        return mode.isKnown && (body.generation > current || (body.generation == current && body.branch == branch))
    }
}
