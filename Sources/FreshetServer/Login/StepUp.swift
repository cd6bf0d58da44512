// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Logging

/// Asks for a fresh proof before what a stolen access token must not do (RFC 9470).
struct StepUp: Sendable {
    /// A sign-in is fresh for this long.
    static let freshness = Duration.seconds(600)

    let logins: PasswordLogin

    /// The account of an access token.
    func user(_ claims: AccessClaims) async throws -> User {
        guard let user = try await logins.database.read({ try UserTable.find(claims.user, in: $0) }) else {
            throw APIError(.invalidToken, "the account is gone")
        }
        return user
    }

    /// Lets those pass whose session began just now, or who show the account's password.
    ///
    /// - Throws: `stepUpRequired` for others, and `invalidGrant` for a wrong password.
    func require(_ claims: AccessClaims, _ user: User, password: String?, from requester: Requester) async throws {
        let now = logins.clock()
        guard let password else {
            // A sign-in that a wrong clock dated in the future is not fresh until then.
            let age = now - claims.authenticatedAt
            guard age <= Self.freshness, age >= .zero - ClockTrust.tolerance else {
                throw APIError(.stepUpRequired, "sign in again first, or show the current password")
            }
            return
        }
        try PasswordRules.refuseOverlong(password)
        // A budget of the session's own: whoever has its token cannot guess for long, nor lock anybody else out.
        let asker = SignInBudgets.Asker(
            account: SessionID(user.id).description,
            source: requester.source,
            device: claims.session.description
        )
        try logins.limiter.take(logins.budgets.password(asker), now: now)
        guard try await logins.hasher.verify(password, against: user.password).isRight else {
            logins.sessions.logRefusal(by: .password, .native, requester, ["user": "\(SessionID(user.id))"])
            throw APIError(.invalidGrant, "the current password is wrong")
        }
    }
}
