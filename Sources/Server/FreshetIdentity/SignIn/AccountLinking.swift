// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
package import FreshetEngine
import FreshetMail
package import FreshetWire
import Logging

/// The sign-in methods of an account, added and removed by its owner after a step-up.
///
/// Accounts with the same address are never merged.
package struct AccountLinking: Sendable {
    let logins: PasswordLogin
    let stepUp: StepUp
    /// The codes sent by mail; `nil` if the server sends no mail.
    let codes: EmailCodes?
    /// Sign in with Apple; `nil` if the server has no keys from Apple.
    let apple: AppleLogin?
    let notices: AccountNotifier

    package init(
        logins: PasswordLogin,
        stepUp: StepUp,
        codes: EmailCodes?,
        apple: AppleLogin?,
        notices: AccountNotifier
    ) {
        self.logins = logins
        self.stepUp = stepUp
        self.codes = codes
        self.apple = apple
        self.notices = notices
    }

    /// Sends a code to an address that is to be added to an account.
    package func begin(_ request: LinkRequest, by claims: AccessClaims, from requester: Requester) async throws
        -> CodeAttempt
    {
        guard let codes else { throw APIError(.notImplemented, "this server sends no mail") }
        let email = try PasswordLogin.address(try given(request.email, "email"))
        let user = try await stepUp.user(claims)
        let requirement = try await stepUp.requirement(
            for: claims,
            user,
            password: request.currentPassword,
            from: requester
        )
        guard user.email == nil else { throw Self.hasAddress }
        let owner = EmailCodes.LinkOwner(claims: claims, requirement: requirement)
        let origin = SignInRateLimits.Origin(account: email, source: requester.source)
        return try await codes.send(.link, from: origin, for: owner)
    }

    /// Adds an address, verified by a code, to the account.
    package func addAddress(_ request: LinkRequest, by claims: AccessClaims, from requester: Requester) async throws {
        guard let codes else { throw APIError(.notImplemented, "this server sends no mail") }
        let (attempt, code) = (try given(request.attempt, "attempt"), try given(request.code, "code"))
        let user = try await stepUp.user(claims)
        let requirement = try await stepUp.requirement(
            for: claims,
            user,
            password: request.currentPassword,
            from: requester
        )
        let clock = codes.clock.reading()
        let now = clock.now
        let isIssued = try await codes.countAttempt(attempt, from: requester, now: now)
        guard isIssued else { throw EmailCodes.refusal }
        let codeHash = codes.hash(code, of: attempt, for: user.id)
        let policy = codes.policy
        let outcome = try await sessions.authorized(.accessToken(claims), requirement) {
            session,
            database -> Result<[EmailAddress], APIError> in
            let evaluation = try CodeAttemptTable.evaluate(
                attempt,
                for: .link,
                codeHash: codeHash,
                policy,
                at: clock,
                in: database
            )
            guard case .accepted(let code) = consume evaluation else { return .failure(EmailCodes.refusal) }
            try CodeAttemptTable.use(code, for: session.id, in: database)
            guard session.account.email == nil else { return .failure(Self.hasAddress) }
            guard try !UserTable.has(code.row.email, in: database) else {
                return .failure(APIError(.conflict, "this address has an account of its own"))
            }
            try UserTable.setEmail(code, at: now, by: session.authority, in: database)
            return .success(try UserTable.mailAddresses(of: session.account.id, in: database))
        }
        if case .failure(EmailCodes.refusal) = outcome {
            codes.recordFailure(isIssued: isIssued, from: requester, now: now)
        }
        publish("an address", user, try outcome.get(), requester)
    }

    /// Links an Apple account to the account.
    package func addApple(_ request: LinkRequest, by claims: AccessClaims, from requester: Requester) async throws {
        guard let apple else { throw APIError(.notImplemented, "Sign in with Apple is not configured here") }
        let user = try await stepUp.user(claims)
        let requirement = try await stepUp.requirement(
            for: claims,
            user,
            password: request.currentPassword,
            from: requester
        )
        let identity = try await apple.verified(
            try given(request.identityToken, "identity_token"),
            nonce: try given(request.nonce, "nonce"),
            sessionPolicy: .native,
            requester
        )
        let clock = apple.clock.reading()
        let outcome = try await sessions.authorized(.accessToken(claims), requirement) {
            session,
            database -> Result<[EmailAddress], APIError> in
            guard try identity.markUsed(for: nil, deletingExpiredBefore: clock.deletionLimit, in: database) else {
                return .failure(AppleLogin.refusal)
            }
            if let owner = try AppleAccountTable.user(of: identity.token.subject, in: database) {
                let isSame = owner.id == session.account.id
                guard isSame else {
                    return .failure(APIError(.conflict, "this Apple account signs in to another account"))
                }
                return .success(try UserTable.mailAddresses(of: owner.id, in: database))
            }
            guard try !AppleAccountTable.isLinked(session.account.id, in: database) else {
                return .failure(APIError(.conflict, "the account has an Apple account"))
            }
            try AppleAccountTable.insert(identity.token.subject, at: clock.now, by: session.authority, in: database)
            try AppleAccountTable.keepEmail(identity.token.email, of: identity.token.subject, in: database)
            return .success(try UserTable.mailAddresses(of: session.account.id, in: database))
        }
        publish("Apple", user, try outcome.get(), requester)
    }

    /// Removes Sign in with Apple from the account, which must have another sign-in method.
    ///
    /// Sessions opened with Apple are kept; the user can end them separately.
    package func removeApple(by claims: AccessClaims, from requester: Requester) async throws {
        let requirement = SessionRequirement.freshSignIn(within: StepUp.freshness)
        let sendsMail = codes != nil
        let (user, recipients) = try await sessions.authorized(.accessToken(claims), requirement) {
            session,
            database in
            // Before Apple's address is removed.
            let recipients = try UserTable.mailAddresses(of: session.account.id, in: database)
            guard session.account.email != nil, sendsMail || session.account.password != nil else {
                throw APIError(.conflict, "the account has no other way to sign in; add an address first")
            }
            guard try AppleAccountTable.delete(by: session.authority, in: database) else {
                throw APIError(.notFound, "no Apple account is linked")
            }
            return (session.account, recipients)
        }
        sessions.log.notice("sign-in removed", metadata: ["user": "\(SessionID(user.id))", "by": "Apple"])
        notices.send(recipients, from: requester.source) {
            .signInRemoved("Apple", place: requester.place, to: $0, at: $1)
        }
    }

    private var sessions: SessionRegistry { logins.sessions }

    private static let hasAddress = APIError(.conflict, "the account has an address")

    private func given(_ text: String?, _ name: String) throws(APIError) -> String {
        guard let text, !text.isEmpty else { throw APIError(.invalidRequest, "\(name) is missing") }
        return text
    }

    private func publish(_ what: String, _ user: User, _ recipients: [EmailAddress], _ requester: Requester) {
        sessions.log.notice("sign-in added", metadata: ["user": "\(SessionID(user.id))", "by": "\(what)"])
        notices.send(recipients, from: requester.source) { .signInAdded(what, place: requester.place, to: $0, at: $1) }
    }
}
