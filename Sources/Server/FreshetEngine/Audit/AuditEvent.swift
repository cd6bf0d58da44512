// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

package import struct Foundation.UUID

/// One thing that happened to an account or a session, as the audit trail keeps it.
///
/// It holds no token, code, password or part of one.
package struct AuditEvent: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case login
        case loginRefused = "login_refused"
        case refresh
        case confirm
        case report
        case logout
        /// The session is over.
        case ended
        case userDisabled = "user_disabled"
        case userEnabled = "user_enabled"
        case userDeleted = "user_deleted"
        case operatorSignIn = "operator_sign_in"
        case operatorRefused = "operator_refused"
        case operatorSignOut = "operator_sign_out"
        case unknown
    }

    package var at: Timestamp
    package var kind: Kind
    package var user: UUID?
    package var session: SessionID?
    /// The word for what came of it: `bound`, `superseded`, `forged` ...
    package var outcome: String?
    package var reason: EndReason?
    package var generation: UInt64?
    /// The session that asked for it, if it was another one.
    package var by: SessionID?
    /// The address that it came from.
    package var source: String?
    /// App, version and platform, as the client named them.
    package var client: String?

    /// Whether it changed something that a refresh does not.
    package var isNotable = false
    /// How many it tells of: more than one for a run of ordinary refreshes, of which it has the last.
    package var times = 1
    /// When a run began; `nil` for a single event.
    package var since: Timestamp?

    package init(at: Timestamp, kind: Kind) {
        self.at = at
        self.kind = kind
    }

    /// Whether it is one of the many that say nothing but that all is well, or that cost nothing to lose.
    package var isPlain: Bool {
        switch kind {
        case .refresh, .confirm, .report, .logout: !isNotable
        case .login, .loginRefused, .ended, .userDisabled, .userEnabled, .userDeleted, .operatorSignIn,
            .operatorRefused, .operatorSignOut, .unknown:
            false
        }
    }

    private static let ordinary: Set = ["bound", "repeated", "sibling", "proved", "unrotated"]

    /// Whether it tells of refreshes like any other: a run of them, or one as earlier versions noted each.
    package var isRoutineRefresh: Bool {
        kind == .refresh && isPlain && outcome.map { Self.ordinary.contains($0) } ?? true
    }

    /// Whether whoever it came from had a token of ours, or could sign in: anybody can send what is none.
    package var isAuthenticated: Bool { outcome != "forged" && outcome != "key_not_here_yet" && kind != .loginRefused }

    /// Whether `left` is told before `right`: of one moment, the sign-in first, and what ended a session before the end.
    package static func isInOrder(_ left: AuditEvent, _ right: AuditEvent) -> Bool {
        (left.at, left.rank) < (right.at, right.rank)
    }

    private var rank: Int { kind == .login ? 0 : isEnding ? 2 : 1 }

    /// Whether it must never be dropped: somebody will ask for it.
    package var isEnding: Bool {
        switch kind {
        case .ended, .userDisabled, .userDeleted: true
        case .login, .loginRefused, .refresh, .confirm, .report, .logout, .userEnabled, .operatorSignIn,
            .operatorRefused, .operatorSignOut, .unknown:
            false
        }
    }
}
