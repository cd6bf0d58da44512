// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

package import struct Foundation.UUID

/// An event of an account or a session in the audit trail.
///
/// It contains no token, code, password or part of one.
package struct AuditEvent: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case login
        case loginRefused = "login_refused"
        case refresh
        case confirm
        case report
        case logout
        /// The session ended.
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
    /// The outcome, such as `bound`, `superseded` or `forged`.
    package var outcome: String?
    package var reason: EndReason?
    package var generation: UInt64?
    /// The session that requested the event, if it was another one.
    package var by: SessionID?
    /// The address that the request came from.
    package var source: String?
    /// The app, version and platform, as reported by the client.
    package var client: String?

    /// Whether the event changed state beyond a refresh.
    package var isNotable = false
    /// The number of events that it represents: more than one for a run of ordinary refreshes.
    package var times = 1
    /// The start of a run; `nil` for a single event.
    package var since: Timestamp?

    package init(at: Timestamp, kind: Kind) {
        self.at = at
        self.kind = kind
    }

    /// Whether the event is routine, so that its loss does no harm.
    package var isPlain: Bool {
        switch kind {
        case .refresh, .confirm, .report, .logout: !isNotable
        case .login, .loginRefused, .ended, .userDisabled, .userEnabled, .userDeleted, .operatorSignIn,
            .operatorRefused, .operatorSignOut, .unknown:
            false
        }
    }

    private static let ordinary: Set = ["bound", "repeated", "sibling", "proved", "unrotated"]

    /// Whether it records ordinary refreshes: a run of them, or a single one of an earlier version.
    package var isRoutineRefresh: Bool {
        kind == .refresh && isPlain && outcome.map { Self.ordinary.contains($0) } ?? true
    }

    /// Whether the client had a genuine token or signed in; any client can send a forged token.
    package var isAuthenticated: Bool { outcome != "forged" && outcome != "key_not_here_yet" && kind != .loginRefused }

    /// Whether `left` comes before `right`.
    ///
    /// Of events with the same time, a sign-in comes first, and the cause of an ending before the ending.
    package static func isInOrder(_ left: AuditEvent, _ right: AuditEvent) -> Bool {
        (left.at, left.rank) < (right.at, right.rank)
    }

    private var rank: Int { kind == .login ? 0 : isEnding ? 2 : 1 }

    /// Whether the event must never be dropped.
    package var isEnding: Bool {
        switch kind {
        case .ended, .userDisabled, .userDeleted: true
        case .login, .loginRefused, .refresh, .confirm, .report, .logout, .userEnabled, .operatorSignIn,
            .operatorRefused, .operatorSignOut, .unknown:
            false
        }
    }
}
