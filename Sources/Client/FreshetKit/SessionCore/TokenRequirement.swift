// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The token that a caller needs.
enum TokenRequirement: Equatable, Sendable {
    /// Any that is good.
    case valid
    /// Another token of the session that this one belongs to, which a resource refused.
    ///
    /// With `isBaseOrigin` it was the session's own origin: for a session that nothing can renew, that is the end.
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
