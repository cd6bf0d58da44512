// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why a session ended.
///
/// It travels as `reason` beside a final answer, and the user is told.
///
/// The set is open: a newer server on the same database may store a reason that this version does not know. The session
/// has ended all the same, so reading a stored reason never fails.
package enum EndReason: Hashable, Sendable, CaseIterable {
    /// This device signed out.
    case logout
    /// The user signed out everywhere.
    case logoutAll
    /// The user ended this session from another one.
    case revokedByUser
    /// An operator ended it.
    case revokedByOperator
    /// Two holders of one refresh token.
    case fork
    /// An old refresh token came back long after its successor was in use (plain mode).
    case reuse
    /// A client reported that its newest refresh token had been overtaken by somebody else's.
    case staleHolder
    /// Unused for longer than the idle lifetime.
    case idleTimeout
    /// Older than the absolute lifetime.
    case absoluteTimeout
    /// The account was disabled.
    case userDisabled
    /// The user had too many sessions, and this one was unused for longest.
    case sessionLimit
    /// The service that signed the user in, such as Apple, took its word back.
    case providerRevoked
    /// A reason that this version does not know.
    case other(UnknownEndReason)

    /// The reasons that this version knows.
    package static let allCases: [EndReason] = [
        .logout, .logoutAll, .revokedByUser, .revokedByOperator, .fork, .reuse, .staleHolder, .idleTimeout,
        .absoluteTimeout, .userDisabled, .sessionLimit, .providerRevoked,
    ]

    private static let known = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// Finds a reason of this version.
    ///
    /// - Returns: `nil` for the text of any other.
    package init?(known text: String) {
        guard let reason = Self.known[text] else { return nil }
        self = reason
    }

    /// Reads a reason as another server may have stored it; `nil` stands for one that was stored in another way.
    package init(stored text: String?) {
        self = text.flatMap { EndReason(known: $0) } ?? .other(UnknownEndReason(text))
    }

    /// The text that is stored and sent, always a plain identifier.
    package var rawValue: String {
        switch self {
        case .logout: "logout"
        case .logoutAll: "logout_all"
        case .revokedByUser: "revoked_by_user"
        case .revokedByOperator: "revoked_by_operator"
        case .fork: "fork"
        case .reuse: "reuse"
        case .staleHolder: "stale_holder"
        case .idleTimeout: "idle_timeout"
        case .absoluteTimeout: "absolute_timeout"
        case .userDisabled: "user_disabled"
        case .sessionLimit: "session_limit"
        case .providerRevoked: "provider_revoked"
        case .other(let other): other.text
        }
    }

    /// The text for a metric's label: reasons that this version does not know share one.
    package var label: String {
        if case .other = self { UnknownEndReason.unnamed } else { rawValue }
    }

    /// Whether the session ended because somebody else held its tokens.
    package var isTheft: Bool {
        switch self {
        case .fork, .reuse, .staleHolder: true
        case .logout, .logoutAll, .revokedByUser, .revokedByOperator, .idleTimeout, .absoluteTimeout, .userDisabled,
            .sessionLimit, .providerRevoked, .other:
            false
        }
    }
}
