// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import Logging

/// Another way into an account, added by its owner who has just proved who he is.
///
/// Accounts are never joined because they have an address in common.
struct AccountLinks: Sendable {
    let logins: PasswordLogin
    let stepUp: StepUp
    /// `nil` if the server sends no mail.
    let codes: MailedCodes?
    /// `nil` if the server knows no keys of Apple's.
    let apple: AppleLogin?
    let notices: Notices

    /// Sends a code to an address that an account is to have.
    func begin(_ request: LinkRequest, by claims: AccessClaims, from requester: Requester) async throws -> CodeAttempt {
        guard let codes else { throw APIError(.notImplemented, "this server sends no mail") }
        let email = try PasswordLogin.address(try given(request.email, "email"))
        let user = try await stepUp.user(claims)
        try await stepUp.require(claims, user, password: request.currentPassword, from: requester)
        guard user.email == nil else { throw Self.hasAddress }
        return try await codes.send(.link, to: email, from: requester, for: user.id)
    }

    /// Gives the account the address that a code has proved.
    func addAddress(_ request: LinkRequest, by claims: AccessClaims, from requester: Requester) async throws {
        guard let codes else { throw APIError(.notImplemented, "this server sends no mail") }
        let (attempt, code) = (try given(request.attempt, "attempt"), try given(request.code, "code"))
        let user = try await stepUp.user(claims)
        try await stepUp.require(claims, user, password: request.currentPassword, from: requester)
        let clock = codes.clock.reading()
        let now = clock.now
        try codes.limiter.take(
            codes.budgets.codeTry(attempt: String(attempt.prefix(64)), source: requester.source),
            now: now
        )
        let codeHash = codes.hash(code, of: attempt, for: user.id)
        let policy = codes.policy
        let outcome = try await codes.database.durably { database -> APIError? in
            guard var row = try CodeAttemptTable.find(attempt, in: database), row.purpose == .link else {
                return MailedCodes.refusal
            }
            switch policy.verify(row, codeHash: codeHash, intent: nil, at: clock) {
            case .accepted: break
            case .refused(let row?):
                try CodeAttemptTable.update(row, in: database)
                return MailedCodes.refusal
            case .refused(nil), .repeated: return MailedCodes.refusal
            case .undecided: throw APIError.clockNotTrusted
            }
            row.use = CodeAttemptRow.Use(session: claims.session, intent: nil)
            try CodeAttemptTable.update(row, in: database)
            guard try UserTable.find(user.id, in: database)?.email == nil else { return Self.hasAddress }
            guard try UserTable.find(row.email, in: database) == nil else {
                return APIError(.conflict, "this address has an account of its own")
            }
            try UserTable.setEmail(row.email, of: user.id, at: now, in: database)
            return nil
        }
        if let outcome { throw outcome }
        note("an address", user, requester)
    }

    /// Joins Apple's word for a person to the account.
    func addApple(_ request: LinkRequest, by claims: AccessClaims, from requester: Requester) async throws {
        guard let apple else { throw APIError(.notImplemented, "Sign in with Apple is not configured here") }
        let user = try await stepUp.user(claims)
        try await stepUp.require(claims, user, password: request.currentPassword, from: requester)
        let identity = try await apple.verified(
            try given(request.identityToken, "identity_token"),
            nonce: try given(request.nonce, "nonce"),
            terms: .native,
            requester
        )
        let clock = apple.clock.reading()
        let now = clock.now
        let outcome = try await apple.database.durably { database -> APIError? in
            guard try identity.spend(for: nil, forgettingBefore: clock.deletionLimit, in: database) else {
                return AppleLogin.refusal
            }
            if let owner = try AppleAccountTable.user(of: identity.token.subject, in: database) {
                let isSame = owner.id == user.id
                return isSame ? nil : APIError(.conflict, "this Apple account signs in to another account")
            }
            guard try !AppleAccountTable.isLinked(user.id, in: database) else {
                return APIError(.conflict, "the account has an Apple account")
            }
            try AppleAccountTable.insert(identity.token.subject, user: user.id, at: now, in: database)
            if let email = identity.token.email {
                try AppleAccountTable.setEmail(email, of: identity.token.subject, in: database)
            }
            return nil
        }
        if let outcome { throw outcome }
        note("Apple", user, requester)
    }

    private static let hasAddress = APIError(.conflict, "the account has an address")

    private func given(_ text: String?, _ name: String) throws(APIError) -> String {
        guard let text, !text.isEmpty else { throw APIError(.invalidRequest, "\(name) is missing") }
        return text
    }

    private func note(_ what: String, _ user: User, _ requester: Requester) {
        logins.sessions.log.notice("sign-in added", metadata: ["user": "\(SessionID(user.id))", "by": "\(what)"])
        notices.tell(user.email) { .signInAdded(what, place: requester.place, to: $0, at: $1) }
    }
}
