// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
package import FreshetEngine
import FreshetMail
package import FreshetWire
import Logging

/// Changes of a password: by a signed-in user, or with a code sent to the account's address.
package struct PasswordChange: Sendable {
    let logins: PasswordLogin
    let stepUp: StepUp
    /// The codes sent by mail; `nil` if the server sends no mail.
    let codes: EmailCodes?
    let notices: AccountNotifier

    package init(logins: PasswordLogin, stepUp: StepUp, codes: EmailCodes?, notices: AccountNotifier) {
        self.logins = logins
        self.stepUp = stepUp
        self.codes = codes
        self.notices = notices
    }

    /// Sends a code for choosing a new password.
    ///
    /// The response is the same whether or not the address has an account; only an existing account gets mail.
    package func begin(_ request: CodeRequest, from requester: Requester) async throws -> CodeAttempt {
        guard let codes else { throw Self.noMail }
        let email = try PasswordLogin.address(request.email)
        let device = try await logins.sessions.knownDevice(request.knownDevice, of: email)
        return try await codes.send(
            .reset,
            from: try await logins.sessions.origin(of: email, requester, device: device)
        )
    }

    /// Changes the password of the signed-in user.
    ///
    /// An account with a password requires the current one; an account without one requires a recent sign-in.
    package func change(_ update: PasswordUpdate, by claims: AccessClaims, from requester: Requester) async throws {
        let user = try await stepUp.user(claims)
        guard let email = user.email else {
            throw APIError(.conflict, "the account has no address to sign in with; add one first")
        }
        if user.password != nil, update.currentPassword == nil {
            throw APIError(.stepUpRequired, "show the current password")
        }
        let requirement = try await stepUp.requirement(
            for: claims,
            user,
            password: update.currentPassword,
            from: requester
        )
        try logins.rules.check(update.newPassword, of: email)
        let phc = try await logins.hasher.hash(update.newPassword)
        let ending = SessionRow.Ending(at: logins.clock(), reason: Self.reason)
        let (ended, recipients) = try await logins.sessions.authorized(.accessToken(claims), requirement) {
            session,
            database in
            // An account that had no password may have got one in the meantime, which this request has not verified.
            guard session.account.password == user.password else {
                throw APIError(.conflict, "the password was changed meanwhile")
            }
            try UserTable.setPassword(phc, by: session.authority, in: database)
            let recipients = try UserTable.mailAddresses(of: session.account.id, in: database)
            guard update.endOtherSessions ?? false else { return ([SessionID](), recipients) }
            try UserTable.forgetDevices(
                keeping: requester.place,
                at: ending.at,
                by: session.authority,
                in: database
            )
            return (
                try SessionTable.end(except: session.id, ending, by: session.authority, in: database), recipients
            )
        }
        publish(user.id, recipients, ended, at: ending.at, requester)
    }

    /// Sets a password with a mailed code, and ends all sessions unless the request says otherwise.
    package func reset(_ update: PasswordUpdate, attempt: String, code: String, from requester: Requester) async throws
    {
        guard let codes else { throw Self.noMail }
        let clock = codes.clock.reading()
        let now = clock.now
        let isIssued = try await codes.countAttempt(attempt, from: requester, now: now)
        guard isIssued else { throw EmailCodes.refusal }
        let codeHash = codes.hash(code, of: attempt)
        let evaluate = { @Sendable [policy = codes.policy] (database: any SQLConnection) throws in
            try CodeAttemptTable.evaluate(attempt, for: .reset, codeHash: codeHash, policy, at: clock, in: database)
        }
        // A refused password must not use up the code.
        let address = try await codes.database.durably { database -> EmailAddress? in
            guard case .accepted(let code) = try evaluate(database) else { return nil }
            return code.row.email
        }
        guard let address else {
            codes.recordFailure(isIssued: isIssued, from: requester, now: now)
            throw EmailCodes.refusal
        }
        try logins.rules.check(update.newPassword, of: address)
        let phc = try await logins.hasher.hash(update.newPassword)
        let ending = SessionRow.Ending(at: now, reason: Self.reason)
        let done = try await codes.database.durably { database -> (UUID, [SessionID], [EmailAddress])? in
            guard case .accepted(let code) = try evaluate(database),
                let authority = try AccountAuthority(code, in: database),
                let user = try UserTable.find(authority.user, in: database)
            else { return nil }
            try CodeAttemptTable.use(code, for: .random(), in: database)
            // If the address is unverified, the first password may be another person's, so all sessions end in any
            // case.
            let endsAll = (update.endOtherSessions ?? true) || !user.isEmailVerified
            if !user.isEmailVerified { try UserTable.markEmailVerified(at: now, by: authority, in: database) }
            try UserTable.setPassword(phc, by: authority, in: database)
            if endsAll {
                try UserTable.forgetDevices(keeping: requester.place, at: now, by: authority, in: database)
            }
            let ended = endsAll ? try SessionTable.end(ending, by: authority, in: database) : []
            return (user.id, ended, try UserTable.mailAddresses(of: user.id, in: database))
        }
        guard let (user, ended, recipients) = done else { throw EmailCodes.refusal }
        publish(user, recipients, ended, at: now, requester)
    }

    /// The reason of these ends: the user ends the sessions by changing the password.
    private static let reason = EndReason.revokedByUser
    private static let noMail = APIError(.notImplemented, "this server sends no mail")

    private func publish(
        _ user: UUID,
        _ recipients: [EmailAddress],
        _ ended: [SessionID],
        at now: Timestamp,
        _ requester: Requester
    ) {
        let sessions = logins.sessions
        sessions.publishEnd(of: ended, user, Self.reason, at: now)
        sessions.log.notice(
            "password changed",
            metadata: ["user": "\(SessionID(user))", "source": "\(requester.source.map(\.description) ?? "?")"]
        )
        notices.send(recipients, from: requester.source) { .passwordChanged(place: requester.place, to: $0, at: $1) }
    }
}
