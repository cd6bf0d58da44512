// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetKit

extension ForeignPreset {
    /// Returns the rules of the backend for refresh tokens.
    ///
    /// - Parameter idleLifetime: The time after which a session that is not refreshed expires; `nil` for never.
    /// - Returns: The rules.
    func rules(idleLifetime: Duration?) -> RefreshTokenRules {
        var rules = RefreshTokenRules(idleLifetime: idleLifetime)
        switch self {
        case .supabase:
            rules.rotates = true
            rules.reuseInterval = .seconds(10)
            rules.acceptsParent = true
            rules.revokesOnReuse = true
        case .auth0:
            rules.rotates = true
            rules.revokesOnReuse = true
        case .okta:
            rules.rotates = true
            rules.reuseInterval = .seconds(30)
            rules.ignoresUsedTokensAtLogout = true
            rules.revokesOnReuse = true
        case .slack: rules.rotates = true
        case .spotify, .oauth2: break
        }
        return rules
    }

    /// Returns the reason that the contract reads from the response to a refused refresh.
    func reason(of refusal: RefreshTokenFamily.Refusal) -> SignOutReason {
        switch (self, refusal) {
        case (.supabase, .reused): .reuse
        case (.supabase, .expired): .expired
        case (.supabase, .revoked), (.spotify, .revoked): .revoked
        case (.oauth2, _): .unrenewable
        default: .unspecified
        }
    }
}
