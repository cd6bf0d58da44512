// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
import FreshetEngine
import FreshetWire
import Logging

/// Requires recent authentication for operations that a stolen token must not allow (RFC 9470).
package struct StepUp: Sendable {
    /// The time for which a sign-in counts as recent.
    package static let freshness = Duration.seconds(600)

    let logins: PasswordLogin

    package init(logins: PasswordLogin) {
        self.logins = logins
    }

    /// Returns the account of an access token whose session is alive.
    func user(_ claims: AccessClaims) async throws -> User {
        try await logins.sessions.account(of: .accessToken(claims))
    }

    /// Returns the transaction's requirement: a recent sign-in, or an unchanged verified password.
    ///
    /// - Throws: `stepUpRequired` if neither is possible, and `invalidGrant` for a wrong password.
    func requirement(
        for claims: AccessClaims,
        _ user: User,
        password: String?,
        from requester: Requester
    ) async throws -> SessionRequirement {
        let now = logins.clock()
        guard let password else {
            guard SessionRequirement.isFresh(claims.authenticatedAt, within: Self.freshness, at: now) else {
                throw APIError.stepUpRequired
            }
            return .freshSignIn(within: Self.freshness)
        }
        try PasswordRules.refuseOverlong(password)
        // The limit is per session: a client with the session's token can neither guess for long nor lock out other
        // clients.
        let plan = RateLimitPlan([
            RateLimitCharge(.device(.passwordAttempt, .session(claims.session)), logins.limits.attemptsOnDevice)
        ])
        try logins.limiter.take(plan, now: now)
        guard try await logins.hasher.verify(password, against: user.password).isRight, let hash = user.password else {
            logins.sessions.logRefusal(by: .password, .native, requester, ["user": "\(SessionID(user.id))"])
            throw APIError(.invalidGrant, "the current password is wrong")
        }
        return .verifiedPassword(hash: hash)
    }
}
