// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Why a session ended.
///
/// It travels as `reason` beside a final answer, and the user is told.
package enum EndReason: String, Codable, Sendable, CaseIterable {
    /// This device signed out.
    case logout
    /// The user signed out everywhere.
    case logoutAll = "logout_all"
    /// The user ended this session from another one.
    case revokedByUser = "revoked_by_user"
    /// An operator ended it.
    case revokedByOperator = "revoked_by_operator"
    /// Two holders of one refresh token.
    case fork
    /// An old refresh token came back long after its successor was in use (plain mode).
    case reuse
    /// A client reported that its newest refresh token had been overtaken by somebody else's.
    case staleHolder = "stale_holder"
    /// Unused for longer than the idle lifetime.
    case idleTimeout = "idle_timeout"
    /// Older than the absolute lifetime.
    case absoluteTimeout = "absolute_timeout"
    /// The account was disabled.
    case userDisabled = "user_disabled"
    /// The user had too many sessions, and this one was unused for longest.
    case sessionLimit = "session_limit"
    /// The service that signed the user in, such as Apple, took its word back.
    case providerRevoked = "provider_revoked"

    /// Whether the session ended because somebody else held its tokens.
    package var isTheft: Bool {
        switch self {
        case .fork, .reuse, .staleHolder: true
        case .logout, .logoutAll, .revokedByUser, .revokedByOperator, .idleTimeout, .absoluteTimeout, .userDisabled,
            .sessionLimit, .providerRevoked:
            false
        }
    }
}
