// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The token that a caller needs.
enum TokenRequirement: Equatable, Sendable {
    /// Any valid token.
    case valid
    /// A token of the same session that replaces this one, which a resource refused.
    ///
    /// `isBaseOrigin` shows whether the session's own origin refused it, which ends a session that cannot be renewed.
    case replacing(AccessToken, isBaseOrigin: Bool = true)
    /// A new token: a caller requested a refresh.
    case refreshed
}

extension TokenRequirement {
    /// The cause of a refresh that this requirement starts.
    var refreshCause: RefreshCause {
        switch self {
        case .valid: .expired
        case .replacing: .rejected
        case .refreshed: .requested
        }
    }
}
